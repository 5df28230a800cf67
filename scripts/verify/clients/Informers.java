import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Follows a ConfigMap from its creation to its deletion with an informer of the HTTP client in the first argument. */
public class Informers {
  public static void main(String[] args) throws Exception {
    HttpClient.Factory factory =
        (HttpClient.Factory) Class.forName(args[0]).getDeclaredConstructor().newInstance();
    String name = "fabric8-" + factory.getClass().getSimpleName().toLowerCase();
    CountDownLatch events = new CountDownLatch(3);
    try (KubernetesClient client =
        new KubernetesClientBuilder().withHttpClientFactory(factory).build()) {
      client
          .configMaps()
          .inNamespace("default")
          .inform(
              new ResourceEventHandler<ConfigMap>() {
                public void onAdd(ConfigMap object) {
                  if (object.getMetadata().getName().equals(name)) events.countDown();
                }

                public void onUpdate(ConfigMap before, ConfigMap object) {
                  if (object.getMetadata().getName().equals(name)) events.countDown();
                }

                public void onDelete(ConfigMap object, boolean unknown) {
                  if (object.getMetadata().getName().equals(name)) events.countDown();
                }
              });
      var place = client.configMaps().inNamespace("default");
      place.resource(new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata().build()).create();
      place.withName(name).edit(object -> new ConfigMapBuilder(object).addToData("a", "b").build());
      Thread.sleep(300);
      place.withName(name).delete();
      System.exit(events.await(20, TimeUnit.SECONDS) ? 0 : 1);
    }
  }
}
