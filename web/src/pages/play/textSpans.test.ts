import { expect, test } from "vitest";
import { cutPieces, partPieces, type Span } from "./textSpans";

const plain = { emphasis: false, strong: false, code: false };

test("a text without marks is one piece", () => {
  expect(cutPieces("Rain.")).toEqual([{ text: "Rain.", ...plain }]);
});

test("spans are counted in code points, and may stand in each other", () => {
  const spans: Span[] = [
    { start: 2, end: 6, kind: "strong" },
    { start: 3, end: 4, kind: "emphasis" },
  ];
  expect(cutPieces("🙂 a😀cd.", spans)).toEqual([
    { text: "🙂 ", ...plain },
    { text: "a", ...plain, strong: true },
    { text: "😀", ...plain, strong: true, emphasis: true },
    { text: "cd", ...plain, strong: true },
    { text: ".", ...plain },
  ]);
});

test("pieces are parted where the letters seen so far end", () => {
  const pieces = cutPieces("ab cd", [{ start: 3, end: 5, kind: "code" }]);
  expect(partPieces(pieces, 4)).toEqual([
    [
      { text: "ab ", ...plain },
      { text: "c", ...plain, code: true },
    ],
    [{ text: "d", ...plain, code: true }],
  ]);
});

test("spans outside the text are passed over", () => {
  expect(cutPieces("ab", [{ start: 5, end: 9, kind: "code" }]).map((piece) => piece.text)).toEqual(["ab"]);
});
