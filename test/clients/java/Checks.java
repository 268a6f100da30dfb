import io.kubernetes.client.openapi.ApiException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a part is made of: things that are tried, each told to who runs the program. */
final class Checks {
  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
  private boolean failed;

  /** Something that is tried. */
  interface Attempt {
    void run() throws Exception;
  }

  boolean failed() {
    return failed;
  }

  /** Tries one thing, within a minute. */
  void check(String name, Attempt attempt) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        attempt.run();
        done.complete(null);
      } catch (Throwable error) {
        done.completeExceptionally(error);
      }
    });
    thread.setDaemon(true);
    thread.start();
    String why = null;
    try {
      done.get(60, TimeUnit.SECONDS);
    } catch (TimeoutException error) {
      why = "nothing has come of it in 60 s";
      thread.interrupt();
    } catch (ExecutionException error) {
      why = describe(error.getCause());
    } catch (InterruptedException error) {
      why = "interrupted";
    }
    failed |= why != null;
    System.out.println(why == null ? "ok " + name : "not ok " + name + ": " + why.replaceAll("\\s*\n\\s*", " "));
  }

  private static String describe(Throwable error) {
    StringBuilder text = new StringBuilder(error.toString());
    if (error instanceof ApiException refusal) text.append(' ').append(refusal.getResponseBody());
    for (StackTraceElement element : error.getStackTrace()) {
      if (element.getClassLoaderName() != null && !element.getClassName().contains(".")) text.append(" at ").append(element);
    }
    if (error.getCause() != null && error.getCause() != error) text.append("; ").append(describe(error.getCause()));
    return text.toString();
  }

  /** Has the server ended and started again; returns when it is ready. */
  void restart() throws IOException {
    System.out.println("restart");
    if (input.readLine() == null) throw new IOException("the server was not restarted");
  }

  static void same(String what, Object got, Object expected) {
    if (!Objects.equals(got, expected)) {
      throw new AssertionError("expected " + what + " to be " + expected + ", got " + got);
    }
  }

  static void holds(String what, boolean so) {
    if (!so) throw new AssertionError("expected " + what);
  }

  /** Waits until something is so; the check's own limit ends it otherwise. */
  static void eventually(Callable<Boolean> so) throws Exception {
    while (!so.call()) Thread.sleep(20);
  }

  /** Expects a call to be refused with a code. */
  static void refused(int code, Attempt call) throws Exception {
    try {
      call.run();
    } catch (ApiException refusal) {
      same("the code", refusal.getCode(), code);
      holds("a Status", refusal.getResponseBody().contains("\"kind\":\"Status\""));
      return;
    }
    throw new AssertionError("expected a refusal with " + code);
  }
}
