import { render } from "preact";

const root = document.getElementById("app");
if (root) render(<main>Keelson</main>, root);
