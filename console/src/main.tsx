import "./ui/tokens.css";
import "./ui/ui.css";
import { render } from "preact";
import { loadKinds } from "./api/discovery.ts";
import { keepConnected } from "./api/stream.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./state/preferences.ts";
import { followLocation } from "./state/route.ts";
import { listenToKeys } from "./ui/keys.ts";

const root = document.getElementById("app");
applyTheme();
followLocation();
listenToKeys();
keepConnected();
void loadKinds();
if (root) render(<App />, root);
