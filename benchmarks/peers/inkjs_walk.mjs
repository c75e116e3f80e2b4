// Tells a story with inkjs: node inkjs_walk.mjs STORY.ink STEPS [--lines]
// Without STEPS it only compiles. `--lines` prints what is told and offered instead,
// `--compiled` the story as other players of ink want it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const home = process.env.INKJS_HOME;
const { Compiler } = createRequire(join(home, "package.json"))("inkjs/full");

const [file, wanted, form] = process.argv.slice(2);
const story = new Compiler(readFileSync(file, "utf8")).Compile();
const steps = Number(wanted ?? 0);

// Drawn beforehand, so that drawing is no part of what is measured.
const drawn = new Uint16Array(50000);
for (let state = 1, at = 0; at < drawn.length; at += 1) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  drawn[at] = state >>> 16;
}
let next = 0;
const draw = (count) => drawn[next++ % drawn.length] % count;

function tell(limit, said) {
  let told = 0;
  while (told < limit) {
    if (story.canContinue) {
      const line = story.Continue().trim();
      if (line) {
        told += 1;
        said?.push(line);
      }
    } else {
      said?.push(story.currentChoices.map((choice) => choice.text).join(" / "));
      story.ChooseChoiceIndex(draw(story.currentChoices.length));
    }
  }
  return told;
}

function milliseconds(work, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = process.hrtime.bigint();
    work();
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

if (form === "--compiled") {
  console.log(story.ToJson());
} else if (form === "--lines") {
  const said = [];
  tell(steps, said);
  console.log(JSON.stringify(said));
} else if (steps) {
  tell(5000);
  const saved = story.state.toJson();
  const save_ms = milliseconds(() => story.state.toJson(), 200);
  const restore_ms = milliseconds(() => story.state.LoadJson(saved), 200);
  tell(100000);
  const start = process.cpuUsage();
  tell(steps);
  const used = process.cpuUsage(start);
  const spent = (used.user + used.system) / 1e3;
  console.log(
    JSON.stringify({
      step_ms: spent / steps,
      save_ms,
      restore_ms,
      saved_bytes: Buffer.byteLength(saved),
      peak_bytes: Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "ascii"))[1]) * 1024,
    }),
  );
}
