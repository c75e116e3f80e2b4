import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

import { notices } from "./notices.ts";

const server = "http://127.0.0.1:8420";

export default defineConfig({
  plugins: [svelte(), notices()],
  build: {
    outDir: "../src/saniwa/http/static",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    // Nothing is written into the page itself: the page's policy lets nothing inline run.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // How long a slow machine takes is no news to those who wait for it.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: {
    proxy: { "/api": { target: server, changeOrigin: true, headers: { origin: server } } },
  },
  test: { include: ["src/**/*.test.ts"] },
});
