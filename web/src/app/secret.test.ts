import { expect, test } from "vitest";
import { secretOf } from "./secret";

const TOKEN = "7ab3".repeat(16);

test("the whole line that was printed is as good as the secret in it", () => {
  expect(secretOf("bob", `bob:${TOKEN}\n`)).toBe(TOKEN);
  expect(secretOf("bob", TOKEN)).toBe(TOKEN);
});

test("somebody else's line is taken as it is, and so is a passphrase with a colon", () => {
  expect(secretOf("ann", `bob:${TOKEN}`)).toBe(`bob:${TOKEN}`);
  expect(secretOf("bob", "bob: four plain words ")).toBe("bob: four plain words ");
});
