import "./styles/tokens.css";
import "./styles/page.css";
import { mount } from "svelte";
import Shell from "./app/Shell.svelte";

const target = document.getElementById("page");
if (target === null) throw new Error("index.html has no element with the id 'page'");
mount(Shell, { target });
