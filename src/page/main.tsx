/** Starts the page in the browser. */
import { render } from "preact";
import { App } from "./app.tsx";
import { PageStore } from "./state.ts";
import { follow } from "./stream.ts";

const store = new PageStore((run) => {
  // A page in the background renders nothing, but must not fall behind.
  if (document.hidden) queueMicrotask(run);
  else requestAnimationFrame(run);
});
const place = document.getElementById("page");
if (place) render(<App store={store} />, place);
void follow(store);
