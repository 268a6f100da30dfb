import type { JSX } from "preact";
import { EmptyState } from "../../ui/basics.tsx";

/** Says how to sign in. */
export default function SignInView(): JSX.Element {
  return (
    <EmptyState title="Sign in">
      <p>
        Type <code>keelson console</code> in a terminal.
      </p>
    </EmptyState>
  );
}
