import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { CONSOLE_SESSION_PATH } from "../../../src/meta/console-session.ts";
import { begin, signIn } from "../api/session.ts";
import { request } from "../api/http.ts";
import { Button, Text } from "../ui/basics.tsx";

/** Takes a token for a session; the token is kept nowhere. */
export function SignInForm({
  compact = false,
  onDone,
}: {
  readonly compact?: boolean;
  readonly onDone?: () => void;
}): JSX.Element {
  const token = useSignal("");
  const state = useSignal<"idle" | "running" | { readonly failed: string }>("idle");
  const perform = async (work: () => Promise<unknown>): Promise<void> => {
    state.value = "running";
    try {
      await work();
      token.value = "";
      state.value = "idle";
      onDone?.();
    } catch (error) {
      state.value = { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  const failed = typeof state.value === "object" ? state.value.failed : undefined;
  return (
    <form
      class={compact ? "sign-in sign-in-compact" : "sign-in"}
      onSubmit={(event) => {
        event.preventDefault();
        if (token.value.trim() !== "") void perform(() => signIn(token.value.trim()));
      }}
    >
      <label class={compact ? "row" : "field"}>
        <span>{compact ? "Token" : "Or paste a token of a user or a service account:"}</span>
        <input
          class="input"
          type="password"
          autocomplete="off"
          spellcheck={false}
          maxLength={16_384}
          value={token.value}
          aria-invalid={failed !== undefined}
          onInput={({ currentTarget }) => {
            token.value = currentTarget.value;
          }}
        />
      </label>
      <div class="row">
        <Button type="submit" kind="primary" disabled={state.value === "running" || token.value.trim() === ""}>
          Sign in
        </Button>
        {/* In another tab a link of the command line may have begun a session: the cookie is the same. */}
        <Button
          disabled={state.value === "running"}
          onClick={() => void perform(async () => (await request(CONSOLE_SESSION_PATH), begin()))}
        >
          I have signed in elsewhere
        </Button>
      </div>
      {failed === undefined ? undefined : (
        <p class="sign-in-failed" role="alert">
          <Text value={failed} />
        </p>
      )}
    </form>
  );
}
