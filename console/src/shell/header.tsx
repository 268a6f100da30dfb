import type { JSX } from "preact";
import { sessionInfo, signOut } from "../api/session.ts";
import { moment } from "../state/moment.ts";
import { commandBar, drawer, help, timeStrip } from "../state/panels.ts";
import { sidebar, theme, type Theme } from "../state/preferences.ts";
import { href } from "../state/route.ts";
import { isNarrow } from "../state/media.ts";
import { Button, Kbd } from "../ui/basics.tsx";
import { Menu } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { visible } from "../ui/visible.ts";

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "system", label: "Colours of the system" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];

/** The bar at the top of the page. */
export function Header(): JSX.Element {
  const isShown = isNarrow.value ? drawer.value : sidebar.value === "shown";
  const info = sessionInfo.value;
  return (
    <header class="bar">
      <Button
        kind="quiet"
        aria-label="List of kinds"
        aria-expanded={isShown}
        onClick={() => {
          if (isNarrow.value) drawer.value = !drawer.value;
          else sidebar.value = sidebar.value === "shown" ? "hidden" : "shown";
        }}
      >
        ☰
      </Button>
      <a class="brand" href={href({ view: "home" })}>
        Keelson
      </a>
      <Button
        class="bar-command"
        title="Go to a kind, a namespace or a view"
        onClick={() => {
          commandBar.value = "";
        }}
      >
        Go to… <Kbd keys=":" />
      </Button>
      <span class="grow" />
      <Button
        kind="quiet"
        aria-pressed={timeStrip.value || moment.value !== undefined}
        title="The moment that is shown"
        onClick={() => {
          timeStrip.value = !timeStrip.value;
        }}
      >
        <span aria-hidden="true">◷</span>
        <span class="bar-text">
          <span class="unseen">Time: </span>
          {moment.value ? "Past" : "Now"}
        </span>
      </Button>
      <Button
        kind="quiet"
        aria-label="Keys"
        onClick={() => {
          help.value = true;
        }}
      >
        ?
      </Button>
      <Menu
        title={`${info ? visible(info.user) : "…"}: preferences and session`}
        more=": preferences and session"
        label={<span class="bar-user">{info ? visible(info.user) : "…"}</span>}
        items={[
          ...THEMES.map(({ theme: value, label }) => ({
            label,
            checked: theme.value === value,
            onSelect: () => {
              theme.value = value;
            },
          })),
          {
            label: "Sign out",
            onSelect: () => {
              signOut().catch((error: unknown) => toast(`not signed out: ${String(error)}`, "bad"));
            },
          },
        ]}
      />
    </header>
  );
}
