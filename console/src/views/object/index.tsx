import type { JSX } from "preact";
import type { ObjectRoute } from "../../state/route.ts";
import { EmptyState } from "../../ui/basics.tsx";

/** The view of the route `object`. */
export default function ObjectView({ route }: { readonly route: ObjectRoute }): JSX.Element {
  return <EmptyState title={`The view ${route.view} is not there yet.`} />;
}
