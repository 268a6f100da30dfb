import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Config;
import java.util.List;
import java.util.Map;

/**
 * Uses the server of KUBECONFIG as programs in Java do, with the official client. Plays the part that is its argument, and
 * prints a line for each thing that it tried: {@code ok NAME}, or {@code not ok NAME: WHY}. A part that wants the server
 * restarted prints {@code restart} and waits for a line on its standard input.
 */
final class Main {
  private Main() {}

  /** Some of what a program does. */
  interface Play {
    void play(Checks checks, ApiClient client, String namespace) throws Exception;
  }

  /** Starting takes seconds, so parts are large. */
  private static final Map<String, List<Play>> PARTS = Map.of(
      "core", List.of(new Typed(), new Patches(), new Protobuf(), new Watches()),
      "storage", List.of(new Storage(), new Dynamic()),
      "informers", List.of(new Informers()));

  public static void main(String[] args) throws Exception {
    List<Play> part = args.length == 1 ? PARTS.get(args[0]) : null;
    if (part == null) {
      System.err.println("expected one argument, one of " + PARTS.keySet());
      System.exit(2);
    }
    ApiClient client = Config.defaultClient();
    // Informers want it so: a watch may be silent for long.
    client.setReadTimeout(0);
    V1Namespace namespace = new V1Namespace().metadata(new V1ObjectMeta().generateName("java-"));
    String name = new CoreV1Api(client).createNamespace(namespace).execute().getMetadata().getName();
    Checks checks = new Checks();
    for (Play play : part) play.play(checks, client, name);
    // Threads of the library may wait for connections that are kept open.
    System.exit(checks.failed() ? 1 : 0);
  }
}
