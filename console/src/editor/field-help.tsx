import type { JSX } from "preact";
import { Badge } from "../ui/basics.tsx";
import { visible } from "../ui/visible.ts";
import type { Explanation } from "./schema.ts";

/** What the schema says of the field under the cursor. */
export function FieldHelp({ of }: { readonly of: Explanation | undefined }): JSX.Element {
  if (!of) return <section class="place" aria-label="The field under the cursor" />;
  const { field, type, required, description, values, members } = of;
  return (
    <section class="place" aria-label="The field under the cursor">
      <h2>
        <code>{visible(field)}</code>
      </h2>
      <p>
        <span class="place-type">{type}</span>
        {required ? <Badge tone="warning">required</Badge> : undefined}
        {of.default === undefined ? undefined : <span class="soft"> default {of.default}</span>}
      </p>
      <p class="place-text">{visible(description)}</p>
      {values.length > 0 ? <p>One of: {values.join(", ")}</p> : undefined}
      {members.length > 0 ? (
        <details>
          <summary>{members.length} members</summary>
          <p class="place-members">{members.join(", ")}</p>
        </details>
      ) : undefined}
    </section>
  );
}
