import { expect, test } from "vitest";
import { readFileText } from "./fileText";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

test("a text is read as it is", async () => {
  expect(await readFileText(new Blob(["砂糖 40 g\n"]))).toBe("砂糖 40 g\n");
});

test.each([
  ["a picture", PNG],
  ["a file with a zero byte", new Uint8Array([0x61, 0x00, 0x62])],
])("%s is no text", async (_, bytes) => {
  expect(await readFileText(new Blob([bytes]))).toBeNull();
});
