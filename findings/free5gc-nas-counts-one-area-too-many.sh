#!/usr/bin/env bash
# github.com/free5gc/nas v1.1.3 (Go): a service area list announces more tracking areas than it has, or fewer.
#
# Guess: in an element that holds tracking areas the "number of elements" is one less than their number, as in the list of TAIs
#   (TS 24.501 §9.11.3.9), which the same package writes right: 00000 stands for one (§9.11.3.49). What counts is the codes.
# Seen: PartialServiceAreaListToNas writes the number itself, and takes it from the areas of the subscription, each of which may hold
#   many codes (TS 29.571, Area). An area with one code says two, so that a reader that follows the count leaves the element;
#   with two codes in one area the two errors cancel each other; with three codes the last one is not part of the list.
# Who cares: those who test service area restrictions over N2: a subscription with two codes works.
# Source: nasConvert/ServiceAreaList.go (len(serviceAreaRestriction.Areas)); compare nasConvert/TaiList.go (- 1).
# Output seen: "area with codes: 1, 0100f110000001 announces 2", "area with codes: 2, 0100f110000001000002 announces 2",
#   "area with codes: 3, 0100f110000001000002000003 announces 2", "list of TAIs with codes: 1, 0000f110000001 announces 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/free5gc/nas/nasConvert"
	"github.com/free5gc/openapi/models"
)

// announced is the number of tracking areas that the first octet of either kind of list stands for.
func announced(list []byte) byte {
	return list[0]&0x1f + 1
}

func main() {
	network := models.PlmnId{Mcc: "001", Mnc: "01"}
	codes := []string{"000001", "000002", "000003"}
	for number := 1; number <= len(codes); number++ {
		list := nasConvert.PartialServiceAreaListToNas(network, models.ServiceAreaRestriction{
			RestrictionType: models.RestrictionType_ALLOWED_AREAS,
			Areas:           []models.Area{{Tacs: codes[:number]}},
		})
		fmt.Printf("area with codes: %d, %x announces %d\n", number, list, announced(list))
	}
	list := nasConvert.TaiListToNas([]models.Tai{{PlmnId: &network, Tac: codes[0]}})
	fmt.Printf("list of TAIs with codes: 1, %x announces %d\n", list, announced(list))
}
GO
(go mod init finding && go get github.com/free5gc/nas@v1.1.3 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "area with codes: 1, 0100f110000001 announces 2
area with codes: 2, 0100f110000001000002 announces 2
area with codes: 3, 0100f110000001000002000003 announces 2
list of TAIs with codes: 1, 0000f110000001 announces 1" ] || { echo "changed" >&2; exit 1; }
