import { expect, test } from "vitest";
import { describeCondition, abbreviateCondition } from "./condition";
import { listChecks, buildLayer, makeLayer, renderYaml } from "./layer";

const LOCKED = { op: "not", condition: { op: "locked", role: "door" } };

test("a condition is one line", () => {
  const both = { op: "and", conditions: [LOCKED, { op: "or", conditions: [{ op: "actorsTurn" }, { op: "isKind", role: "actor", kinds: ["character", "item"] }] }] };
  expect(describeCondition(both)).toBe("not locked(door) and (actorsTurn or isKind(role: actor, kinds: character / item))");
  expect(describeCondition("actorsTurn")).toBe("actorsTurn");
  expect(describeCondition(null)).toBe("null");
});

test("a condition is written short", () => {
  expect(abbreviateCondition(LOCKED)).toEqual({ not: { locked: "door" } });
  expect(abbreviateCondition({ op: "isKind", role: "actor", kinds: ["item"] })).toEqual({ isKind: { role: "actor", kinds: ["item"] } });
  expect(abbreviateCondition({ op: "actorsTurn" })).toBe("actorsTurn");
  expect(abbreviateCondition({ op: "or", conditions: [LOCKED] })).toEqual({ or: [{ not: { locked: "door" } }] });
});

test("a layer names its checks, however its keys are spelt", () => {
  expect(listChecks({ rules: [{ actionType: "take", checks: [{ id: "a" }] }, { action_type: "move", checks: [{ id: "b" }] }] })).toEqual(["take.a", "move.b"]);
  expect(listChecks(null)).toEqual([]);
  expect(listChecks({ rules: [3, { checks: "x" }] })).toEqual([]);
});

test("a check is written down as a layer", () => {
  const text = buildLayer("move", {
    id: "door_unlocked",
    description: "The door: not locked.",
    enabled: true,
    condition: LOCKED,
    fail_reason: "door_locked",
    fail_message: { en: "It is locked.", ja: "鍵がかかっている。" },
    hint: {},
  });
  expect(text).toBe(
    `rules:
  - actionType: move
    checks:
      - id: door_unlocked
        description: "The door: not locked."
        condition: {not: {locked: door}}
        failReason: door_locked
        failMessage: {en: "It is locked.", ja: "鍵がかかっている。"}
`,
  );
  expect(makeLayer("take")).toContain("- id: my_rule");
});

test("what could be taken for something else is quoted", () => {
  expect(renderYaml({ a: "yes", b: "3", c: "", d: "no: x", e: true, f: null, g: [] })).toBe(
    'a: "yes"\nb: "3"\nc: ""\nd: "no: x"\ne: true\nf: null\ng: []\n',
  );
});

test("what is long goes over lines", () => {
  const long = { or: [{ isKind: { role: "target", kinds: ["container", "supporter"] } }, { not: { given: "source" } }] };
  expect(renderYaml({ condition: long })).toBe(
    `condition:
  or:
    - isKind: {role: target, kinds: [container, supporter]}
    - not: {given: source}
`,
  );
});
