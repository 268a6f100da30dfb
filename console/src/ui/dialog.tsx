import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./basics.tsx";
import { visible } from "./visible.ts";

/** A dialog over the page, which has the focus until it is closed: by its buttons, or by Escape. */
export function Dialog({
  title,
  onClose,
  wide = false,
  actions,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** Buttons; one that closes stands before them. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the first frame is drawn: keys that follow at once are for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    // The element gives the focus back to what had it.
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{visible(title)}</h2>
      <div class="dialog-content">{children}</div>
      <div class="dialog-actions">
        <Button onClick={onClose}>{actions === undefined ? "Close" : "Cancel"}</Button>
        {actions}
      </div>
    </dialog>
  );
}
