import { expect, test } from "vitest";
import { sayCondition, shortCondition } from "./condition";
import { checksOf, layerOf, newLayer, yaml } from "./layer";

const LOCKED = { op: "not", condition: { op: "locked", role: "door" } };

test("a condition is one line", () => {
  const both = { op: "and", conditions: [LOCKED, { op: "or", conditions: [{ op: "actorsTurn" }, { op: "isKind", role: "actor", kinds: ["character", "item"] }] }] };
  expect(sayCondition(both)).toBe("not locked(door) and (actorsTurn or isKind(role: actor, kinds: character / item))");
  expect(sayCondition("actorsTurn")).toBe("actorsTurn");
  expect(sayCondition(null)).toBe("null");
});

test("a condition is written short", () => {
  expect(shortCondition(LOCKED)).toEqual({ not: { locked: "door" } });
  expect(shortCondition({ op: "isKind", role: "actor", kinds: ["item"] })).toEqual({ isKind: { role: "actor", kinds: ["item"] } });
  expect(shortCondition({ op: "actorsTurn" })).toBe("actorsTurn");
  expect(shortCondition({ op: "or", conditions: [LOCKED] })).toEqual({ or: [{ not: { locked: "door" } }] });
});

test("a layer names its checks, however its keys are spelt", () => {
  expect(checksOf({ rules: [{ actionType: "take", checks: [{ id: "a" }] }, { action_type: "move", checks: [{ id: "b" }] }] })).toEqual(["take.a", "move.b"]);
  expect(checksOf(null)).toEqual([]);
  expect(checksOf({ rules: [3, { checks: "x" }] })).toEqual([]);
});

test("a check is written down as a layer", () => {
  const text = layerOf("move", {
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
  expect(newLayer("take")).toContain("- id: my_rule");
});

test("what could be taken for something else is quoted", () => {
  expect(yaml({ a: "yes", b: "3", c: "", d: "no: x", e: true, f: null, g: [] })).toBe(
    'a: "yes"\nb: "3"\nc: ""\nd: "no: x"\ne: true\nf: null\ng: []\n',
  );
});

test("what is long goes over lines", () => {
  const long = { or: [{ isKind: { role: "target", kinds: ["container", "supporter"] } }, { not: { given: "source" } }] };
  expect(yaml({ condition: long })).toBe(
    `condition:
  or:
    - isKind: {role: target, kinds: [container, supporter]}
    - not: {given: source}
`,
  );
});
