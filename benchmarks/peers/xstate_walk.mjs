// XState's half of the comparison: node xstate_walk.mjs STEPS
// Two states, an event back and forth, nothing kept. Prints one JSON object.
import { createRequire } from "node:module";
import { join } from "node:path";

const home = process.env.XSTATE_HOME;
const { createActor, createMachine } = createRequire(join(home, "package.json"))("xstate");

const door = createMachine({
  initial: "open",
  states: { open: { on: { move: "shut" } }, shut: { on: { move: "open" } } },
});
const actor = createActor(door).start();
const steps = Number(process.argv[2]);

function walk() {
  const start = process.cpuUsage();
  for (let n = 0; n < steps; n += 1) actor.send({ type: "move" });
  const spent = process.cpuUsage(start);
  return (spent.user + spent.system) / 1000 / steps;
}

walk();
const times = Array.from({ length: 7 }, walk).sort((a, b) => a - b);
console.log(JSON.stringify({ event_ms: times[3] }));
