import { afterEach, expect, test, vi } from "vitest";
import { EditedText } from "./editedText.svelte";

const problem = (status: number, code: string): Response =>
  new Response(JSON.stringify({ code, detail: "no", recoverable: false }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });

function server(answers: Record<string, Response>): void {
  vi.stubGlobal("fetch", async (_: string, { method = "GET" }: RequestInit) => answers[method]?.clone());
}

afterEach(() => void vi.unstubAllGlobals());

test("where the text of somebody else cannot be fetched, that is told and nothing is lost", async () => {
  server({ PUT: problem(412, "REVISION_CONFLICT"), GET: problem(404, "STORY_NOT_FOUND") });
  const editing = new EditedText("story", "tale", "tale.md");
  editing.text = "# Mine";
  expect(await editing.save()).toBe("failed");
  expect(editing.problem).toMatchObject({ code: "STORY_NOT_FOUND" });
  expect([editing.text, editing.saving, editing.theirs]).toEqual(["# Mine", false, null]);
});

test("a text that cannot be thrown away for the saved one stays", async () => {
  server({ GET: problem(404, "STORY_NOT_FOUND") });
  const editing = new EditedText("story", "tale", "tale.md");
  editing.text = "# Mine";
  await editing.takeTheirs();
  expect(editing.problem).toMatchObject({ code: "STORY_NOT_FOUND" });
  expect(editing.text).toBe("# Mine");
});
