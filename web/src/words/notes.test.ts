import { expect, test } from "vitest";
import { CONFOUNDED, translateNote } from "./notes";

test("a remark is told in the language of the page, with its numbers", () => {
  expect(["これだけが違う条件の組がありません", "3個だけなので、区間は狭すぎます、3ブロックでは、pは0.25より小さくなりません"]).toEqual([
    translateNote(CONFOUNDED, "ja"),
    translateNote("3 blocks: the interval is too narrow; 3 blocks: p cannot be below 0.25", "ja"),
  ]);
});

test("a remark in English, and one that is new, stay as they were written", () => {
  expect([CONFOUNDED, "a new remark"]).toEqual([translateNote(CONFOUNDED, "en"), translateNote("a new remark", "ja")]);
});
