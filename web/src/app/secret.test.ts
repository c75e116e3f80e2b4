import { expect, test } from "vitest";
import { extractSecret } from "./secret";

const TOKEN = "7ab3".repeat(16);

test("the whole line that was printed is as good as the secret in it", () => {
  expect(extractSecret("bob", `bob:${TOKEN}\n`)).toBe(TOKEN);
  expect(extractSecret("bob", TOKEN)).toBe(TOKEN);
});

test("somebody else's line is taken as it is, and so is a passphrase with a colon", () => {
  expect(extractSecret("ann", `bob:${TOKEN}`)).toBe(`bob:${TOKEN}`);
  expect(extractSecret("bob", "bob: four plain words ")).toBe("bob: four plain words ");
});
