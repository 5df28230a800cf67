// Reads certificates and requests for them as Go does it: each line of the input is
// "certificate HEX", "request HEX" or "pem HEX", and each line of the output is JSON.
package main

import (
	"bufio"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"strings"
)

type answer struct {
	CommonName    string   `json:"commonName"`
	Organizations []string `json:"organizations"`
	DNS           []string `json:"dns,omitempty"`
	Addresses     []string `json:"addresses,omitempty"`
	Serial        string   `json:"serial,omitempty"`
	From          int64    `json:"from"`
	To            int64    `json:"to"`
	CA            bool     `json:"ca,omitempty"`
	SubjectKey    string   `json:"subjectKey,omitempty"`
	AuthorityKey  string   `json:"authorityKey,omitempty"`
	Problem       string   `json:"problem,omitempty"`
	Blocks        []block  `json:"blocks,omitempty"`
}

type block struct {
	Type       string `json:"type"`
	HasHeaders bool   `json:"hasHeaders"`
	Bytes      string `json:"bytes"`
}

func blocksOf(text []byte) answer {
	var found answer
	for {
		one, rest := pem.Decode(text)
		if one == nil {
			return found
		}
		found.Blocks = append(found.Blocks, block{one.Type, len(one.Headers) > 0, hex.EncodeToString(one.Bytes)})
		text = rest
	}
}

func named(name pkix.Name) answer {
	organizations := name.Organization
	if organizations == nil {
		organizations = []string{}
	}
	return answer{CommonName: name.CommonName, Organizations: organizations}
}

func read(kind string, der []byte) answer {
	if kind == "pem" {
		return blocksOf(der)
	}
	if kind == "request" {
		request, err := x509.ParseCertificateRequest(der)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		return named(request.Subject)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	found := named(certificate.Subject)
	found.DNS = certificate.DNSNames
	for _, address := range certificate.IPAddresses {
		found.Addresses = append(found.Addresses, hex.EncodeToString(address))
	}
	found.Serial = certificate.SerialNumber.Text(16)
	found.From = certificate.NotBefore.UnixMilli()
	found.To = certificate.NotAfter.UnixMilli()
	found.CA = certificate.IsCA
	found.SubjectKey = hex.EncodeToString(certificate.SubjectKeyId)
	found.AuthorityKey = hex.EncodeToString(certificate.AuthorityKeyId)
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		kind, digits, _ := strings.Cut(lines.Text(), " ")
		der, err := hex.DecodeString(digits)
		if err != nil {
			panic(err)
		}
		if err := out.Encode(read(kind, der)); err != nil {
			panic(err)
		}
	}
}
