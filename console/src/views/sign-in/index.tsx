import type { JSX } from "preact";
import { navigateTo, type PlainRoute } from "../../state/route.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { CommandLine } from "../../ui/command-line.tsx";
import { useTitle } from "../../ui/title.ts";

/** Says how to sign in, and goes on where the user wanted to go. */
export default function SignInView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Sign in");
  return (
    <section class="page page-narrow" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">Sign in</h1>
      <p>In a terminal with a kubeconfig for this server, type:</p>
      <CommandLine line="keelson console" />
      <p>It opens this page with a link that works once, and starts a session for the user of the kubeconfig.</p>
      <SignInForm onDone={() => navigateTo(route.query?.["to"] ?? "/console/")} />
    </section>
  );
}
