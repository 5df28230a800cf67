// A manager of controller-runtime: one kind of custom resource, a Deployment for each, as operators in Go are written.
// Arguments: kubeconfig, and the identity of this process in the election. Ends when its standard input does.
package main

import (
	"context"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "shop.example.com/goodbye"

var siteKind = schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Site"}

type reconciler struct {
	client.Client
	recorder events.EventRecorder
	name     string
}

func newSite() *unstructured.Unstructured {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(siteKind)
	return site
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := newSite()
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.GetDeletionTimestamp().IsZero() {
		if controllerutil.RemoveFinalizer(site, finalizer) {
			return ctrl.Result{}, r.Update(ctx, site)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		r.recorder.Eventf(site, nil, corev1.EventTypeNormal, "Welcomed", "Welcome", "%s takes care of it", r.name)
		return ctrl.Result{}, r.Update(ctx, site)
	}
	replicas, _, err := unstructured.NestedInt64(site.Object, "spec", "replicas")
	if err != nil {
		return ctrl.Result{}, err
	}
	labels := map[string]string{"site": site.GetName()}
	wanted := appsv1apply.Deployment(site.GetName(), site.GetNamespace()).
		WithOwnerReferences(metav1apply.OwnerReference().
			WithAPIVersion(siteKind.GroupVersion().String()).WithKind(siteKind.Kind).
			WithName(site.GetName()).WithUID(site.GetUID()).WithController(true).WithBlockOwnerDeletion(true)).
		WithSpec(appsv1apply.DeploymentSpec().
			WithReplicas(int32(replicas)).
			WithSelector(metav1apply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(corev1apply.PodTemplateSpec().WithLabels(labels).
				WithSpec(corev1apply.PodSpec().
					WithContainers(corev1apply.Container().WithName("site").WithImage("nginx:1.27")))))
	if err := r.Apply(ctx, wanted, client.FieldOwner("site-controller"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	var deployment appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &deployment); err != nil {
		// The cache has not seen it yet; its event will come.
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := site.DeepCopy()
	if err := unstructured.SetNestedField(site.Object, int64(deployment.Status.ReadyReplicas), "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, site, client.MergeFrom(before))
}

func main() {
	ctrl.SetLogger(zap.New())
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "site-controller",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       server.Options{BindAddress: "0"},
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).For(newSite()).Owns(&appsv1.Deployment{}).
		Complete(&reconciler{manager.GetClient(), manager.GetEventRecorder("site-controller"), os.Args[2]}))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	check(manager.Start(ctx))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
