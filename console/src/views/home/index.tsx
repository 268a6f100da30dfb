import type { JSX } from "preact";
import { kinds } from "../../api/discovery.ts";
import { href } from "../../state/route.ts";

/** The first page. */
export default function HomeView(): JSX.Element {
  return (
    <ul>
      {kinds.value.map((kind) => (
        <li key={`${kind.resource}.${kind.group}`}>
          <a href={href({ view: "list", group: kind.group, version: kind.version, resource: kind.resource })}>
            {kind.kind}
          </a>
        </li>
      ))}
    </ul>
  );
}
