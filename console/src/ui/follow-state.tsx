import type { JSX } from "preact";
import { at } from "../state/moment.ts";
import { Badge, Text } from "./basics.tsx";
import { countText } from "./bytes.ts";
import type { FollowedMany } from "./follow-many.ts";
import { leftOutOf, namesText } from "./left-out.ts";

/** What of followed lists is not shown, or may be old, and why: for the head of a view. */
export function FollowState({
  followed,
  names,
  most,
}: {
  readonly followed: FollowedMany;
  /** What the lists are called. */
  readonly names: Readonly<Record<string, string>>;
  /** The most objects of a list. */
  readonly most: number;
}): JSX.Element {
  const entries = Object.entries(followed.lists);
  const nameOf = (name: string): string => names[name] ?? name;
  return (
    <>
      {at.value === undefined ? undefined : <Badge tone="info">as it was at the chosen moment</Badge>}
      {entries.some(([, { state }]) => state === "stale") ? (
        <Badge tone="warning">the connection is lost; it is tried again</Badge>
      ) : undefined}
      {entries.map(([name, { state, failure, truncated }]) =>
        state === "failed" && failure?.code !== 403 ? (
          <p key={name} class="view-note view-failure">
            {nameOf(name)} cannot be read: <Text value={failure?.status.message ?? "there is no reason"} />
          </p>
        ) : truncated ? (
          <Badge key={name} tone="warning">
            only {countText(most)} {nameOf(name)} are read
          </Badge>
        ) : undefined,
      )}
      <LeftOutNote followed={followed} nameOf={nameOf} />
    </>
  );
}

function LeftOutNote({
  followed,
  nameOf,
}: {
  readonly followed: FollowedMany;
  readonly nameOf: (name: string) => string;
}): JSX.Element | null {
  const left = leftOutOf(followed);
  if (!left) return null;
  const { refused, namespaces = [], more } = left;
  return (
    <p class="view-note soft">
      {namespaces.length > 0 ? (
        <>
          You see what you may list: the namespace{namespaces.length === 1 ? "" : "s"}{" "}
          <Text value={namesText(namespaces)} />.{" "}
        </>
      ) : undefined}
      {more > 0 ? `${countText(more)} more namespaces are not read: choose one. ` : undefined}
      {refused.length > 0 ? `You may not list ${namesText(refused.map(nameOf))}.` : undefined}
    </p>
  );
}
