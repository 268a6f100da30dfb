import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { kinds } from "../api/discovery.ts";
import { namespaces } from "../api/namespaces.ts";
import { signOut } from "../api/session.ts";
import { moment } from "../state/moment.ts";
import { commandBar, help, timeStrip } from "../state/panels.ts";
import { columns, theme } from "../state/preferences.ts";
import { navigate, route } from "../state/route.ts";
import { Combo } from "../ui/combo.tsx";
import { toast } from "../ui/toast.tsx";
import { suggest, type Command } from "./commands.ts";

/** Does what a command says. */
function run(command: Command): void {
  switch (command.type) {
    case "go":
      navigate(command.to);
      break;
    case "theme":
      theme.value = command.theme;
      break;
    case "columns":
      columns.value = command.columns;
      break;
    case "time":
      timeStrip.value = true;
      break;
    case "now":
      moment.value = undefined;
      break;
    case "help":
      help.value = true;
      break;
    case "sign-out":
      signOut().catch((error: unknown) => toast(`not signed out: ${String(error)}`, "bad"));
  }
}

/** The bar that `:` opens: kinds by their short names, namespaces, views. */
export function CommandBar(): JSX.Element {
  const text = useSignal(commandBar.value ?? "");
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => {
    commandBar.value = undefined;
  };
  // Before the first frame is drawn: what is typed at once after `:` is for the bar.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector("input")?.focus();
    return () => element?.close();
  }, []);
  const suggestions = suggest(text.value, {
    kinds: kinds.value,
    namespaces: namespaces.value ?? [],
    route: route.value,
  });
  return (
    // A click beside the bar closes it, as Escape does.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      class="command-bar"
      aria-label="Command"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <Combo
        first
        label="Command"
        placeholder="cm kube-system · pods /web · pods app=web · ns default · storage"
        value={text.value}
        options={suggestions.map(({ text: label, does }) => ({ text: label, label, hint: does }))}
        onInput={(typed) => {
          text.value = typed;
        }}
        onTake={(option) => {
          const suggestion = suggestions.find((one) => one.text === option?.text);
          if (!suggestion) return;
          close();
          run(suggestion.command);
        }}
        onLeave={close}
      />
      {suggestions.length === 0 ? (
        <p class="soft command-none" role="status">
          No kind and no view has this name.
        </p>
      ) : undefined}
    </dialog>
  );
}
