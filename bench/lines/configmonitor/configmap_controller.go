package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	restartsAnnotation = "configmonitor.example.com/restarts"
	hashPrefix         = "data-hash.configmonitor.example.com/"
)

// ConfigMapReconciler restarts what uses a ConfigMap.
type ConfigMapReconciler struct {
	client.Client
	Scheme   *runtime.Scheme
	Recorder record.EventRecorder
}

func (r *ConfigMapReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	text := config.Annotations[restartsAnnotation]
	if text == "" {
		return ctrl.Result{}, nil
	}
	selector, err := labels.Parse(text)
	if err != nil {
		r.Recorder.Eventf(&config, corev1.EventTypeWarning, "BadSelector", "The annotation %s is not a label selector: %v", restartsAnnotation, err)
		return ctrl.Result{}, nil
	}
	hash, err := hashOf(&config)
	if err != nil {
		return ctrl.Result{}, err
	}
	key := hashAnnotation(config.Name)
	var deployments appsv1.DeploymentList
	if err := r.List(ctx, &deployments, client.InNamespace(req.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range deployments.Items {
		deployment := &deployments.Items[i]
		template := &deployment.Spec.Template
		if !selector.Matches(labels.Set(template.Labels)) || template.Annotations[key] == hash {
			continue
		}
		patch := client.MergeFrom(deployment.DeepCopy())
		if template.Annotations == nil {
			template.Annotations = map[string]string{}
		}
		template.Annotations[key] = hash
		if err := r.Patch(ctx, deployment, patch); err != nil {
			return ctrl.Result{}, err
		}
		r.Recorder.Eventf(deployment, corev1.EventTypeNormal, "ConfigChanged", "Restarts for a change of ConfigMap %s.", config.Name)
	}
	return ctrl.Result{}, nil
}

func hashOf(config *corev1.ConfigMap) (string, error) {
	content, err := json.Marshal([]any{config.Data, config.BinaryData})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8]), nil
}

func hashAnnotation(name string) string {
	if len(name) > 63 {
		sum := sha256.Sum256([]byte(name))
		name = fmt.Sprintf("%s-%s", name[:52], hex.EncodeToString(sum[:5]))
	}
	return hashPrefix + name
}

func (r *ConfigMapReconciler) configMapsOf(ctx context.Context, deployment client.Object) []reconcile.Request {
	var configs corev1.ConfigMapList
	if err := r.List(ctx, &configs, client.InNamespace(deployment.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "unable to list ConfigMaps")
		return nil
	}
	var requests []reconcile.Request
	for _, config := range configs.Items {
		if config.Annotations[restartsAnnotation] != "" {
			requests = append(requests, reconcile.Request{
				NamespacedName: types.NamespacedName{Namespace: config.Namespace, Name: config.Name},
			})
		}
	}
	return requests
}

// SetupWithManager sets up the controller with the Manager.
func (r *ConfigMapReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		Watches(&appsv1.Deployment{}, handler.EnqueueRequestsFromMapFunc(r.configMapsOf)).
		Named("restarts").
		Complete(r)
}
