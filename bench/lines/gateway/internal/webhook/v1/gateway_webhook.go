package v1

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	edgev1 "example.com/gateway/api/v1"
)

const domain = "example.com"

// SetupGatewayWebhookWithManager registers the webhook for Gateway in the manager.
func SetupGatewayWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &edgev1.Gateway{}).
		WithDefaulter(&GatewayDefaulter{}).
		WithValidator(&GatewayValidator{Client: mgr.GetClient()}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-edge-example-com-v1-gateway,mutating=true,failurePolicy=fail,sideEffects=None,groups=edge.example.com,resources=gateways,verbs=create;update,versions=v1,name=mgateway-v1.kb.io,admissionReviewVersions=v1

// GatewayDefaulter fills in what the schema cannot: a default that is made of other fields.
type GatewayDefaulter struct{}

// Default implements admission.Defaulter so a webhook will be registered for the Kind Gateway.
func (d *GatewayDefaulter) Default(_ context.Context, gateway *edgev1.Gateway) error {
	// Without a name yet (generateName), there is none to make a host of: the user has to say one.
	if gateway.Name != "" && gateway.Spec.Hosts == nil {
		host := fmt.Sprintf("%s.%s.%s", gateway.Name, gateway.Namespace, domain)
		gateway.Spec.Hosts = []edgev1.Host{edgev1.Host(host)}
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-edge-example-com-v1-gateway,mutating=false,failurePolicy=fail,sideEffects=None,groups=edge.example.com,resources=gateways,verbs=create;update,versions=v1,name=vgateway-v1.kb.io,admissionReviewVersions=v1

// GatewayValidator refuses a host that another Gateway serves.
type GatewayValidator struct {
	Client client.Client
}

// ValidateCreate implements admission.Validator so a webhook will be registered for the type Gateway.
func (v *GatewayValidator) ValidateCreate(ctx context.Context, gateway *edgev1.Gateway) (admission.Warnings, error) {
	return nil, v.validateHosts(ctx, gateway, nil)
}

// ValidateUpdate looks only at hosts that are new: what is stored and taken already must stay changeable.
func (v *GatewayValidator) ValidateUpdate(ctx context.Context, old, gateway *edgev1.Gateway) (admission.Warnings, error) {
	return nil, v.validateHosts(ctx, gateway, old.Spec.Hosts)
}

// ValidateDelete implements admission.Validator so a webhook will be registered for the type Gateway.
func (v *GatewayValidator) ValidateDelete(context.Context, *edgev1.Gateway) (admission.Warnings, error) {
	return nil, nil
}

func (v *GatewayValidator) validateHosts(ctx context.Context, gateway *edgev1.Gateway, before []edgev1.Host) error {
	var gateways edgev1.GatewayList
	if err := v.Client.List(ctx, &gateways); err != nil {
		return err
	}
	var allErrs field.ErrorList
	for i, host := range gateway.Spec.Hosts {
		if slices.Contains(before, host) {
			continue
		}
		index := slices.IndexFunc(gateways.Items, func(other edgev1.Gateway) bool {
			return other.UID != gateway.UID && slices.Contains(other.Spec.Hosts, host)
		})
		if index >= 0 {
			owner := client.ObjectKeyFromObject(&gateways.Items[index])
			path := field.NewPath("spec", "hosts").Index(i)
			allErrs = append(allErrs, field.Invalid(path, host, fmt.Sprintf("is served by %s", owner)))
		}
	}
	if len(allErrs) == 0 {
		return nil
	}
	kind := schema.GroupKind{Group: edgev1.GroupVersion.Group, Kind: "Gateway"}
	return apierrors.NewInvalid(kind, gateway.Name, allErrs)
}
