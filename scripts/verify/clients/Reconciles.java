import io.fabric8.kubernetes.api.model.ConfigMap;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Starts an operator of the Java Operator SDK, and waits for its first reconcile. */
public class Reconciles {
  static final CountDownLatch RECONCILED = new CountDownLatch(1);

  @ControllerConfiguration
  public static class ConfigMaps implements Reconciler<ConfigMap> {
    public UpdateControl<ConfigMap> reconcile(ConfigMap object, Context<ConfigMap> context) {
      RECONCILED.countDown();
      return UpdateControl.noUpdate();
    }
  }

  public static void main(String[] args) throws Exception {
    Operator operator = new Operator();
    operator.register(new ConfigMaps());
    operator.start();
    System.exit(RECONCILED.await(30, TimeUnit.SECONDS) ? 0 : 1);
  }
}
