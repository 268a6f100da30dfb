import type { JSX } from "preact";
import type { NewRoute } from "../../state/route.ts";
import { EmptyState } from "../../ui/basics.tsx";

/** The view of the route `new`. */
export default function NewView({ route }: { readonly route: NewRoute }): JSX.Element {
  return <EmptyState title={`The view ${route.view} is not there yet.`} />;
}
