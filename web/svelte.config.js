/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  compilerOptions: {
    runes: true,
    // Elements are made one by one, so the page works where markup from text is forbidden.
    fragments: "tree",
  },
};
