/**
 * Small parts that every view is made of.
 *
 * @module
 */
import type { ComponentChildren, JSX } from "preact";
import type { Status } from "../../../src/meta/status.ts";
import { now } from "../state/clock.ts";
import { ageText } from "./age.ts";
import { shortened, visible } from "./visible.ts";

/** Class names; those that are false or undefined are left out. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}

/** Properties of {@link Button}, beside those of the element. */
export interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "type" | "class" | "disabled"> {
  /** `plain` if absent; `quiet` has no border, `danger` is for what cannot be undone. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button. */
export function Button({ kind = "plain", type = "button", class: more, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button {...rest} type={type} class={classes("button", `button-${kind}`, more)}>
      {children}
    </button>
  );
}

/** A key, or several that are pressed together. */
export function Kbd({ keys }: { readonly keys: string }): JSX.Element {
  return <kbd class="kbd">{keys}</kbd>;
}

/** A text of the cluster: its direction does not reach what stands beside it, and every character is seen. */
export function Text({ value, class: className }: { readonly value: string; readonly class?: string }): JSX.Element {
  const text = shortened(value);
  return (
    <bdi class={classes("text", className)} title={text}>
      {text}
    </bdi>
  );
}

/** How long ago a time was, which is shown whole in its title. The time is RFC 3339. */
export function Age({ time }: { readonly time: string }): JSX.Element {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return <Text value={time} />;
  return (
    <time dateTime={time} title={time}>
      {ageText(then, now.value)}
    </time>
  );
}

/** What a badge says beside its text. */
export type Tone = "neutral" | "good" | "warning" | "bad" | "info";

/** A short state. */
export function Badge({
  tone = "neutral",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** What stands in place of what is not there. */
export function EmptyState({
  title,
  isPage = false,
  children,
}: {
  readonly title: string;
  /** Whether there is nothing else in the page, so that its title is that of the page. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const Title = isPage ? "h1" : "p";
  return (
    <div class="empty">
      <Title class="empty-title">{shortened(title)}</Title>
      {children}
    </div>
  );
}

/** A failure, with its causes and what can be done. */
export function ErrorBox({
  title,
  status,
  children,
}: {
  readonly title: string;
  readonly status: Pick<Status, "message" | "reason" | "details">;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const causes = status.details?.causes ?? [];
  return (
    <div class="error-box" role="alert">
      <p class="error-title">{shortened(title)}</p>
      {status.message ? (
        <p>
          <Text value={status.message} />
        </p>
      ) : undefined}
      {causes.length > 1 ? (
        <ul>
          {causes.map((cause, index) => (
            <li key={index}>
              {cause.field ? (
                <>
                  <code>{visible(cause.field)}</code>:{" "}
                </>
              ) : undefined}
              <Text value={cause.message} />
            </li>
          ))}
        </ul>
      ) : undefined}
      {children}
    </div>
  );
}

/** Says that something is loaded; with a part of it, how much is there. */
export function Loading({
  what,
  progress,
}: {
  readonly what: string;
  readonly progress?: { readonly done: number; readonly of: number };
}): JSX.Element {
  return (
    <div class="loading" role="status">
      <p>Loading {what}…</p>
      {progress ? <progress aria-label={what} value={progress.done} max={Math.max(progress.of, 1)} /> : undefined}
    </div>
  );
}
