package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	edgev1 "example.com/gateway/api/v1"
)

const (
	image    = "nginx:1.27"
	httpPort = 80
	// configHash rolls the pods when the configuration changes.
	configHash = "edge.example.com/config-hash"
)

// GatewayReconciler reconciles a Gateway object
type GatewayReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=edge.example.com,resources=gateways,verbs=get;list;watch
// +kubebuilder:rbac:groups=edge.example.com,resources=gateways/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=edge.example.com,resources=gateways/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;update;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch

// Reconcile makes the cluster match what each Gateway asks for.
func (r *GatewayReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var gateway edgev1.Gateway
	if err := r.Get(ctx, req.NamespacedName, &gateway); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.reconcileConfigMap(ctx, &gateway); err != nil {
		return ctrl.Result{}, err
	}
	deployment, err := r.reconcileDeployment(ctx, &gateway)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.reconcileService(ctx, &gateway); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.updateStatus(ctx, &gateway, deployment.Status.ReadyReplicas > 0)
}

func (r *GatewayReconciler) reconcileConfigMap(ctx context.Context, gateway *edgev1.Gateway) error {
	configMap := &corev1.ConfigMap{ObjectMeta: objectMeta(gateway)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, configMap, func() error {
		configMap.Labels = labelsFor(gateway)
		configMap.Data = map[string]string{"gateway.conf": nginxConfig(gateway)}
		return controllerutil.SetControllerReference(gateway, configMap, r.Scheme)
	})
	return err
}

func (r *GatewayReconciler) reconcileDeployment(ctx context.Context, gateway *edgev1.Gateway) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{ObjectMeta: objectMeta(gateway)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := labelsFor(gateway)
		deployment.Labels = labels
		deployment.Spec.Replicas = ptr.To(int32(2))
		if deployment.CreationTimestamp.IsZero() {
			deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		}
		sum := sha256.Sum256([]byte(nginxConfig(gateway)))
		template := &deployment.Spec.Template
		template.Labels = labels
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, configHash, hex.EncodeToString(sum[:])[:16])
		if len(template.Spec.Containers) == 0 {
			template.Spec.Containers = []corev1.Container{{Name: "nginx"}}
		}
		container := &template.Spec.Containers[0]
		container.Image = image
		container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: httpPort, Protocol: corev1.ProtocolTCP}}
		container.VolumeMounts = []corev1.VolumeMount{{Name: "config", MountPath: "/etc/nginx/conf.d"}}
		if len(template.Spec.Volumes) == 0 {
			template.Spec.Volumes = []corev1.Volume{{
				Name: "config",
				VolumeSource: corev1.VolumeSource{
					ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: gateway.Name}},
				},
			}}
		}
		return controllerutil.SetControllerReference(gateway, deployment, r.Scheme)
	})
	return deployment, err
}

func (r *GatewayReconciler) reconcileService(ctx context.Context, gateway *edgev1.Gateway) error {
	service := &corev1.Service{ObjectMeta: objectMeta(gateway)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		service.Labels = labelsFor(gateway)
		service.Spec.Selector = labelsFor(gateway)
		service.Spec.Ports = []corev1.ServicePort{{Name: "http", Port: httpPort, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString("http")}}
		return controllerutil.SetControllerReference(gateway, service, r.Scheme)
	})
	return err
}

func (r *GatewayReconciler) updateStatus(ctx context.Context, gateway *edgev1.Gateway, isServed bool) error {
	before := gateway.DeepCopy()
	condition := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "NoPodsReady", Message: "No pod is ready."}
	if isServed {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Served", "The routes are served."
	}
	meta.SetStatusCondition(&gateway.Status.Conditions, condition)
	gateway.Status.ObservedGeneration = gateway.Generation
	if equality.Semantic.DeepEqual(before.Status, gateway.Status) {
		return nil
	}
	return r.Status().Update(ctx, gateway)
}

// nginxConfig is what nginx does for a Gateway.
func nginxConfig(gateway *edgev1.Gateway) string {
	serverName := "_"
	if gateway.Spec.Hosts != nil {
		var hosts []string
		for _, host := range gateway.Spec.Hosts {
			hosts = append(hosts, string(host))
		}
		serverName = strings.Join(hosts, " ")
	}
	var config strings.Builder
	config.WriteString("server {\n")
	fmt.Fprintf(&config, "  listen %d;\n", httpPort)
	fmt.Fprintf(&config, "  server_name %s;\n", serverName)
	fmt.Fprintf(&config, "  proxy_read_timeout %dms;\n", gateway.Spec.TimeoutMs)
	for _, route := range gateway.Spec.Routes {
		fmt.Fprintf(&config, "  location %s { proxy_pass http://%s.%s.svc:%d; }\n", route.Path, route.Service, gateway.Namespace, route.Port)
	}
	config.WriteString("}\n")
	return config.String()
}

func labelsFor(gateway *edgev1.Gateway) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":     "gateway",
		"app.kubernetes.io/instance": gateway.Name,
	}
}

func objectMeta(gateway *edgev1.Gateway) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: gateway.Namespace, Name: gateway.Name}
}

// SetupWithManager sets up the controller with the Manager.
func (r *GatewayReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&edgev1.Gateway{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Named("gateway").
		Complete(r)
}
