import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Copies that are kept up to date. */
final class Informers implements Main.Play {
  private static final int MANY = 500;

  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    CoreV1Api core = new CoreV1Api(client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(
        params -> core.listNamespacedConfigMap(namespace).labelSelector("of=many").resourceVersion(params.resourceVersion)
            .timeoutSeconds(params.timeoutSeconds).watch(params.watch).buildCall(null),
        V1ConfigMap.class, V1ConfigMapList.class);
    informer.addIndexers(Map.of("a", one -> List.of(one.getData().get("a"))));
    Counter counter = new Counter();
    informer.addEventHandler(counter);
    Lister<V1ConfigMap> lister = new Lister<>(informer.getIndexer(), namespace);

    checks.check("all are there after the first sync", () -> {
      for (int i = 0; i < MANY; i++) create(core, namespace, "many-" + i, i % 2 == 0 ? "even" : "odd");
      factory.startAllRegisteredInformers();
      Checks.eventually(informer::hasSynced);
      Checks.same("the number in the copy", lister.list().size(), MANY);
      Checks.same("the number of even ones", informer.getIndexer().byIndex("a", "even").size(), MANY / 2);
      Checks.eventually(() -> counter.added.get() == MANY);
    });
    checks.check("changes come as they are made", () -> {
      set(core, namespace, "many-0", "changed");
      core.deleteNamespacedConfigMap("many-1", namespace).execute();
      Checks.eventually(() -> lister.get("many-0").getData().get("a").equals("changed") && lister.get("many-1") == null);
      Checks.eventually(() -> counter.updated.get() == 1 && counter.deleted.get() == 1);
    });
    checks.check("it goes on when the server was restarted", () -> {
      checks.restart();
      set(core, namespace, "many-2", "changed");
      core.deleteNamespacedConfigMap("many-3", namespace).execute();
      Checks.eventually(() -> lister.get("many-2").getData().get("a").equals("changed") && lister.get("many-3") == null);
      Checks.same("the number in the copy", lister.list().size(), MANY - 2);
    });
    checks.check("it stops", () -> factory.stopAllRegisteredInformers());
  }

  private static void create(CoreV1Api core, String namespace, String name, String a) throws ApiException {
    V1ConfigMap one = Typed.configMap(name, a);
    one.getMetadata().putLabelsItem("of", "many");
    core.createNamespacedConfigMap(namespace, one).execute();
  }

  private static void set(CoreV1Api core, String namespace, String name, String a) throws ApiException {
    V1ConfigMap one = core.readNamespacedConfigMap(name, namespace).execute();
    core.replaceNamespacedConfigMap(name, namespace, one.data(Map.of("a", a))).execute();
  }

  /** Counts what it is handed. */
  private static final class Counter implements ResourceEventHandler<V1ConfigMap> {
    final AtomicInteger added = new AtomicInteger();
    final AtomicInteger updated = new AtomicInteger();
    final AtomicInteger deleted = new AtomicInteger();

    @Override
    public void onAdd(V1ConfigMap one) {
      added.incrementAndGet();
    }

    @Override
    public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
      updated.incrementAndGet();
    }

    @Override
    public void onDelete(V1ConfigMap one, boolean unknown) {
      deleted.incrementAndGet();
    }
  }
}
