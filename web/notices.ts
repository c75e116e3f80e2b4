/**
 * Whose work is in the page: for every package that went into it, its licence in full.
 * Most licences ask for it; a package without one stops the build.
 */

import type { Plugin, Rolldown } from "vite";

const file = "third-party.txt";
const head = `Saniwa's page contains work of others. These are the packages that went into it,
each with the terms under which it is used.
`;
/** Modules that come from a tool and not from a file of a package. */
const tools: readonly (readonly [string, string])[] = [
  ["\0vite/", "vite"],
  ["\0rolldown/", "rolldown"],
];

/** Packages that are part of what another package publishes, and are in no file of their own. */
const inside: Readonly<Record<string, readonly string[]>> = {
  "@dagrejs/dagre": ["@dagrejs/graphlib"],
};

type Reading = Rolldown.PluginContext["fs"];

/** The folders of the packages that a module is made of; none for our own. */
function foldersOf(module: string, root: string): string[] {
  for (const [prefix, name] of tools)
    if (module.startsWith(prefix)) return [`${root}/node_modules/${name}`];
  const within = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(module);
  const [, place = "", name = ""] = within ?? [];
  return name === "" ? [] : [name, ...(inside[name] ?? [])].map((each) => place + each);
}

async function notice(folder: string, reading: Reading): Promise<string> {
  const said = JSON.parse(await reading.readFile(`${folder}/package.json`, { encoding: "utf8" }));
  const names = await reading.readdir(folder);
  const licence = names.find((name) => /^licen[cs]e(\.|$)/i.test(name));
  if (licence === undefined) throw new Error(`${said.name} brings no licence; the page needs its words`);
  const text = await reading.readFile(`${folder}/${licence}`, { encoding: "utf8" });
  // A tool's file goes on with what the tool itself is made of, which is not in the page.
  const own = text.split("\n# Licenses of bundled dependencies")[0] ?? text;
  return `\n== ${said.name} ${said.version} (${said.license})\n\n${own.trim()}\n`;
}

/** Writes the notices beside the page. */
export function notices(): Plugin {
  let root = "";
  return {
    name: "notices",
    apply: "build",
    configResolved(config) {
      root = config.root;
    },
    async generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const part of Object.values(bundle))
        for (const module of part.type === "chunk" ? part.moduleIds : [])
          for (const folder of foldersOf(module, root)) folders.add(folder);
      const told = await Promise.all([...folders].map((each) => notice(each, this.fs)));
      this.emitFile({ type: "asset", fileName: file, source: head + told.sort().join("") });
    },
  };
}
