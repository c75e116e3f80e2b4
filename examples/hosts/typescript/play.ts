/** Plays door and key over HTTP, with the client that is made from the OpenAPI document. */

import { Problem, Saniwa } from "../../../web/src/api/saniwa";

const WORDS = ["open the gate", "go east", "open the chest", "take the key"];

/** Say one line after the other to a new run, and return the lines of the story. */
export async function play(address: string): Promise<string[]> {
  const server = new Saniwa(address);
  const lines: string[] = [];
  let moment = await server.beginRun({ body: { scenario: "door_and_key" } });
  for (const text of WORDS) {
    try {
      moment = await server.say({
        path: { run: moment.run },
        revision: moment.revision,
        key: crypto.randomUUID(),
        body: { text },
      });
    } catch (problem) {
      // Another player was faster: read the present state, and let the person decide.
      if (!(problem instanceof Problem) || problem.code !== "REVISION_CONFLICT") throw problem;
      moment = await server.readMoment({ path: { run: moment.run } });
    }
    for (const each of moment.step.directives) if (each.type === "Say") lines.push(each.args.text);
  }
  return lines;
}

/** Mistakes that the compiler reports. */
export async function mistakes(server: Saniwa, run: string): Promise<void> {
  // @ts-expect-error a change needs the revision it is based on
  await server.say({ path: { run }, body: { text: "look" } });
  // @ts-expect-error there is no such field
  await server.beginRun({ body: { scenery: "door_and_key" } });
}
