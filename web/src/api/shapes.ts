/** Shapes every page meets: the StepResult contract and the answers built around it. */

/** Where the author wrote something. */
export type Source = { line: number; column: number; file?: string };

/** One choice, with more about it than its words. */
export type Option = { text: string; enabled: boolean; id?: string; tags?: string[] };

/** One thing to show. A host passes over types it does not know. */
export type Directive =
  | { type: "Say"; args: { speaker: string; text: string; id?: string; tags?: string[]; voice?: string } }
  | { type: "ShowImage"; args: { layer: string; path?: string | null } }
  | { type: "ClearLayer"; args: { layer: string } }
  | { type: "PlayBgm"; args: { path?: string | null } }
  | { type: "PlaySe"; args: { path?: string | null } }
  | { type: "PlayMovie"; args: { path?: string | null } }
  | { type: "Wait"; args: { seconds: number } }
  | { type: "Branch"; args: { choices: string[]; options?: Option[] } }
  | { type: "Ask"; args: { prompt: string } }
  | { type: "Event"; args: { name: string; values: Record<string, string> } }
  | { type: "Ending"; args: { id: string; name?: string } }
  | { type: "ReachedLabel"; args: { label: string } }
  | { type: "JumpTo"; args: { label: string } };

/** What the host does after showing the directives. */
export type Next = "Next" | "WaitUser" | "WaitBranch" | "Halt";

/** One advance of a story: the only thing that carries story to a host. */
export type StepResult = { next: Next; directives: Directive[] };

/** What a run waits for. */
export type Waiting = "step" | "choice" | "words" | "choice or words" | "end";

/** A page of a list; `next` is the cursor of what follows. */
export type Page<T> = { items: T[]; next: string | null };

/** Where a run stands, for whoever shows it. */
export type Moment = {
  run: string;
  /** What the next request must have seen. */
  revision: number;
  step: StepResult;
  waiting: Waiting;
  /** Empty the stage and show this first; null where the stage is as it should be. */
  scenery: StepResult | null;
  /** Whether there is a step to go back to. */
  back: boolean;
};

/** A run in one line. */
export type RunLine = {
  id: string;
  kind: "scenario" | "story" | "story on a world";
  scenario: string;
  story: string;
  language: string;
  created: number;
  turns: number;
  owner: string;
  hosted: boolean;
};

/** A run, looked at. */
export type RunView = { line: RunLine; revision: number; waiting: Waiting; actor: string; cast: string[] };
