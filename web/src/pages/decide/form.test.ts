import { expect, test } from "vitest";
import { parseContent, buildFields, buildPayload } from "./form";

const SCHEMA = {
  type: "object",
  properties: {
    mode: { enum: ["domain", 3, null], default: 3 },
    title: { type: "string", title: "The title", description: "In a few words." },
    count: { type: "integer" },
    urgent: { type: "boolean" },
    assumptions: { type: "array", items: { type: "string" } },
    more: { type: "object" },
  },
  required: ["title"],
};

test("a schema's simple kinds become fields, what is needed first", () => {
  const fields = buildFields(SCHEMA);
  expect(fields.map((each) => [each.name, each.kind])).toEqual([
    ["title", "text"],
    ["mode", "choice"],
    ["count", "number"],
    ["urgent", "yes"],
    ["assumptions", "lines"],
    ["more", "json"],
  ]);
  expect(fields[0]).toMatchObject({ label: "The title", help: "In a few words.", required: true });
  expect(fields[1]?.first).toBe("1");
});

test("what was typed becomes the payload, and what was left empty is left out", () => {
  const typed = { title: "Tea", mode: "2", count: "12", urgent: "true", assumptions: "a\n\n b ", more: '{"x":1}' };
  expect(buildPayload(buildFields(SCHEMA), typed)).toEqual({
    payload: { title: "Tea", mode: null, count: 12, urgent: true, assumptions: ["a", "b"], more: { x: 1 } },
    faults: {},
  });
  expect(buildPayload(buildFields(SCHEMA), { title: "Tea" }).payload).toEqual({ title: "Tea" });
});

test("what cannot be taken is told by field", () => {
  const typed = { title: "  ", count: "many", more: "{" };
  expect(buildPayload(buildFields(SCHEMA), typed).faults).toEqual({ title: "needed", count: "noNumber", more: "noJson" });
});

test("a schema that says nothing of properties makes no form", () => {
  expect([undefined, null, true, [], { type: "object" }, { properties: 3 }].map(buildFields)).toEqual([[], [], [], [], [], []]);
});

test("evidence that is JSON is handed in as that, and everything else as its text", () => {
  expect(parseContent(' {"a": 1}')).toEqual({ a: 1 });
  expect(parseContent("{not json")).toBe("{not json");
  expect(parseContent("12")).toBe("12");
});
