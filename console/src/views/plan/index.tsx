import type { JSX } from "preact";
import type { PlainRoute } from "../../state/route.ts";
import { EmptyState } from "../../ui/basics.tsx";

/** The view of the route `plan`. */
export default function PlanView({ route }: { readonly route: PlainRoute }): JSX.Element {
  return <EmptyState title={`The view ${route.view} is not there yet.`} />;
}
