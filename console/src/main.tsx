import "./ui/tokens.css";
import "./ui/ui.css";
import "./shell/shell.css";
import "./views/list/list.css";
import { render } from "preact";
import { loadKinds } from "./api/discovery.ts";
import { keepSession, loadSession } from "./api/session.ts";
import { beginStream, keepConnected } from "./api/stream.ts";
import { App, KEYS } from "./app.tsx";
import { applyTheme } from "./state/preferences.ts";
import { followLocation, route } from "./state/route.ts";
import { listenToKeys } from "./ui/keys.ts";

const root = document.getElementById("app");
applyTheme();
followLocation();
listenToKeys(KEYS);
keepConnected();
// These views open a window at once; its connection takes longer than their first drawing.
if (route.peek().view === "list" || route.peek().view === "home") beginStream();
void loadKinds();
void loadSession();
keepSession();
if (root) render(<App />, root);
