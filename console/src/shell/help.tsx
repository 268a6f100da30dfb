import type { JSX } from "preact";
import { help } from "../state/panels.ts";
import { Kbd } from "../ui/basics.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { keyGroups } from "../ui/keys.ts";

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** All keys that do something here. */
export function Help(): JSX.Element {
  return (
    <Dialog
      title="Keys"
      wide
      onClose={() => {
        help.value = false;
      }}
    >
      <div class="help">
        {keyGroups.value.map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {bindings.map(({ keys, does }) => (
                <div key={keys} class="help-row">
                  <dt>
                    {keys.split(" ").map((key) => (
                      <Kbd key={key} keys={NAMES[key] ?? key} />
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
