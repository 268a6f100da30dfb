import type { JSX } from "preact";
import { session } from "../api/http.ts";
import { connection } from "../api/stream.ts";
import { moment } from "../state/moment.ts";
import { route } from "../state/route.ts";
import { Button } from "../ui/basics.tsx";
import { timeText } from "../ui/time-text.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** What is not as usual: the session is over, the connection is lost, the moment is not now. */
export function Banners(): JSX.Element {
  const lost = session.value === "lost";
  return (
    <div class="banners" aria-live="polite">
      {lost && route.value.view !== "sign-in" ? (
        <div class="banner banner-bad" role="alert">
          <span>The session has ended. What you typed is still here.</span>
          <SignInForm compact />
        </div>
      ) : undefined}
      {!lost && connection.value === "waiting" ? (
        <div class="banner banner-warning" role="status">
          <span>The connection is lost. What you see may be old; the page connects again by itself.</span>
        </div>
      ) : undefined}
      {moment.value ? (
        <div class="banner banner-info" role="status">
          <span>
            You see the cluster as it was
            {moment.value.time === ""
              ? ` at revision ${moment.value.resourceVersion}`
              : ` at ${momentText(moment.value.time)}`}
            . Nothing can be changed.
          </span>
          <Button
            onClick={() => {
              moment.value = undefined;
            }}
          >
            Back to now
          </Button>
        </div>
      ) : undefined}
    </div>
  );
}

function momentText(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : timeText(ms);
}
