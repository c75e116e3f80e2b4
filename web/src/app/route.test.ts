import { expect, test } from "vitest";
import { makePath, readRoute } from "./route";

test("the first part of a path names the page, the rest is handed to it decoded", () => {
  const route = readRoute("/watch/a%20b/x", "?turn=3");
  expect(route.page).toBe("watch");
  expect(route.parts).toEqual(["a b", "x"]);
  expect(route.query.get("turn")).toBe("3");
});

test("the bare path is the garden, where one plays", () => {
  expect(readRoute("/").page).toBe("play");
});

test("a path nobody knows is unknown, and a broken escape breaks nothing", () => {
  expect(readRoute("/nowhere").page).toBe("unknown");
  expect(readRoute("/play/%E0%A4%A").parts).toEqual(["%E0%A4%A"]);
});

test("a path is made so that reading it gives the same back", () => {
  const path = makePath("write", ["story", "庭/path"], { line: 4 });
  const [before = "", after = ""] = path.split("?");
  expect(readRoute(before, after).parts).toEqual(["story", "庭/path"]);
  expect(path.endsWith("?line=4")).toBe(true);
});
