/** Plays door and key over HTTP, with the client that is made from the OpenAPI document. */

import { Refused, Saniwa } from "../../../web/src/api/saniwa";

const WORDS = ["open the gate", "go east", "open the chest", "take the key"];

/** Say one line after the other to a new run, and give back what was told. */
export async function play(address: string): Promise<string[]> {
  const garden = new Saniwa(address);
  const told: string[] = [];
  let moment = await garden.beginRun({ body: { scenario: "door_and_key" } });
  for (const text of WORDS) {
    try {
      moment = await garden.say({
        path: { run: moment.run },
        revision: moment.revision,
        key: crypto.randomUUID(),
        body: { text },
      });
    } catch (problem) {
      // Somebody else has played on: look where the run stands, and let the person decide.
      if (!(problem instanceof Refused) || problem.code !== "REVISION_CONFLICT") throw problem;
      moment = await garden.readMoment({ path: { run: moment.run } });
    }
    for (const each of moment.step.directives) if (each.type === "Say") told.push(each.args.text);
  }
  return told;
}

/** What the compiler would not let pass. */
export async function mistakes(garden: Saniwa, run: string): Promise<void> {
  // @ts-expect-error a change says what it has seen
  await garden.say({ path: { run }, body: { text: "look" } });
  // @ts-expect-error there is no such field
  await garden.beginRun({ body: { scenery: "door_and_key" } });
}
