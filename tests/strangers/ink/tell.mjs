// Plays stories with inkjs, one per input line: a JSON object with `ink`, `picks` and `most`.
// Prints a JSON list of the text, the choices offered and how the story ended.
import { createInterface } from "node:readline";
import { Compiler, CompilerOptions } from "inkjs/full";

function compiled(ink) {
  const wrong = [];
  const options = new CompilerOptions(null, [], false, (message) => wrong.push(message));
  try {
    const story = new Compiler(ink, options).Compile();
    return { story, wrong: wrong.filter((message) => message.startsWith("ERROR")) };
  } catch (problem) {
    return { story: null, wrong: [...wrong, String(problem.message ?? problem)] };
  }
}

function told({ ink, picks, most }) {
  const { story, wrong } = compiled(ink);
  if (wrong.length || story === null) return [["unreadable", wrong]];
  const events = [];
  story.onError = (message) => events.push(["error", message]);
  let pick = 0;
  while (events.length < most) {
    if (story.canContinue) {
      const line = story.Continue().trim();
      // What is left of a line whose braces gave nothing is no line.
      if (line) events.push(["say", line, [...story.currentTags]]);
      if (events.at(-1)?.[0] === "error") return events;
    } else if (story.currentChoices.length === 0) {
      return [...events, ["end"]];
    } else {
      const offered = story.currentChoices;
      events.push(["offer", offered.map((choice) => choice.text), offered.map((choice) => choice.tags ?? [])]);
      if (pick >= picks.length) return events;
      story.ChooseChoiceIndex(picks[pick] % offered.length);
      pick += 1;
    }
  }
  return events;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(told(JSON.parse(line))) + "\n");
}
