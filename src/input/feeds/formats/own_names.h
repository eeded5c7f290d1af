// What people head the columns of their own lists with, in English, German, French and Spanish, without accents.
#pragma once

#include <array>
#include <string_view>

#include "input/feeds/formats/own_columns.h"

namespace gpuplan {

/// Heads of columns without blanks and signs, between bars, the most telling first.
struct OwnNames {
  OwnField field;
  std::string_view names;
};

inline constexpr std::array kOwnNames = {
    OwnNames{
        OwnField::kGpu,
        "gpumodel|gputype|gpuname|acceleratorname|acceleratortype|acceleratormodel|accelerator|gpu|graphicscard|card|"
        "gpusku|grafikkarte|gpumodell|gputyp|beschleuniger|cartegraphique|modelegpu|modeledegpu|typegpu|typedegpu|"
        "tarjetagrafica|modelogpu|modelodegpu|tipogpu|tipodegpu|carte|tarjeta|accelerateur|acelerador|device|model|"
        "modell|modele|modelo"},
    OwnNames{
        OwnField::kGpus,
        "gpus|gpucount|numgpus|numberofgpus|noofgpus|nogpus|gpuqty|gpuquantity|gpunum|ngpus|ngpu|numgpu|"
        "gpuspernode|gpusperinstance|gpuspermachine|gpuscount|acceleratorcount|accelerators|anzahlgpus|anzahldergpus|"
        "gpuanzahl|anzahlgpu|anzahlkarten|anzahlgrafikkarten|nombredegpu|nombredegpus|nombregpu|nbgpu|nbgpus|nbregpu|"
        "nombredecartes|nbcartes|numerodegpu|numerodegpus|cantidaddegpu|cantidaddegpus|cantidadgpu|"
        "numerodetarjetas|cantidaddetarjetas|count|qty|quantity|anzahl|menge|stuckzahl|stueckzahl|quantite|qte|"
        "cantidad|cant"},
    OwnNames{
        OwnField::kProvider,
        "provider|cloud|cloudprovider|vendor|supplier|company|platform|marketplace|host|hoster|anbieter|fournisseur|"
        "hebergeur|prestataire|proveedor|plateforme|plataforma"},
    OwnNames{OwnField::kRegion,
             "region|location|datacenter|datacentre|country|site|geo|geolocation|standort|land|rechenzentrum|"
             "emplacement|localisation|pays|centrededonnees|ubicacion|localizacion|pais|centrodedatos"},
    OwnNames{OwnField::kZone, "zone|availabilityzone|az|zona|zonededisponibilite|zonadedisponibilidad"},
    OwnNames{
        OwnField::kInstance,
        "instance|instancetype|instancename|machinetype|machine|machinename|sku|plan|flavor|flavour|shape|nodetype|"
        "server|servertype|product|offer|config|configuration|vmtype|vmsize|size|typedinstance|typeinstance|instancia|"
        "tipodeinstancia|serveur|servidor|maquina|offre|oferta|produit|producto"},
    OwnNames{
        OwnField::kGpuMemory,
        "vram|vramgb|vramgib|memoiregpu|memoirevideo|memoiredelacarte|vramgo|memoriagpu|memoriadegpu|memoriadelagpu|"
        "memoriagrafica|memoriadevideo|memoriadelatarjeta|gpuspeicher|gpumemory|gpumemorygb|gpumemorygib|gpuram|"
        "gpuramgb|gpuvram|memorypergpu|vrampergpu|vrampergpugb|vrampergpugib|memorypergpugb|memorypergpugib|"
        "gpumem|gpumemgb|gpumemgib|gpumemmb|gpumemmib|gpumemorymb|gpumemorymib|acceleratormemory|acceleratormemorygb|"
        "grafikspeicher|videospeicher|gpuspeichergb|videomemory"},
    OwnNames{OwnField::kVcpus,
             "vcpus|vcpu|cpus|cpu|cores|cpucores|cpucount|vcpucount|numcpus|kerne|coeurs|"
             "processeurs|nucleos|procesadores"},
    OwnNames{OwnField::kRam,
             "ram|ramgb|ramgib|rammb|systemmemory|hostmemory|cpumemory|mainmemory|"
             "systemram|arbeitsspeicher|hauptspeicher|memoirevive|memoireram|ramgo|memoriaram"},
    OwnNames{
        OwnField::kMemory,
        "memory|memorygb|memorygib|memorymb|mem|memgb|memgib|speicher|speichergb|memoire|memoirego|memoria|memoriagb"},
    OwnNames{OwnField::kAvailability,
             "availability|available|stock|stockstatus|status|instock|verfugbarkeit|"
             "verfugbar|disponibilite|disponible|disponibilidad|enstock"},
    OwnNames{OwnField::kMinimum, "billingminimum|billingminimumminutes|billingminimums|minimumminutes"},
    OwnNames{OwnField::kIncrement, "billingincrement|billingincrementseconds|billingincrements|incrementseconds"},
    OwnNames{OwnField::kInterruptions, "interruptions|interruptionrate|reclaims|evictionrate"},
    OwnNames{OwnField::kLabel, "label|nickname"},
    OwnNames{OwnField::kCurrency, "currency|ccy|currencycode|wahrung|waehrung|devise|monnaie|moneda|divisa"},
    OwnNames{OwnField::kUnit,
             "unit|units|priceunit|unitofprice|pricingunit|rateunit|costunit|unitofmeasure|uom|pricebasis|"
             "priceper|pricedper|per|einheit|preiseinheit|preisje|preispro|unite|unidad"},
    OwnNames{OwnField::kTaxRate,
             "vat|vatrate|vatpercent|vatpct|tax|taxrate|taxpercent|taxpct|mwst|mwstsatz|ust|ustsatz|steuersatz|"
             "mehrwertsteuer|tva|tauxtva|tauxdetva|iva|tipoiva|tipodeiva|gst|gstrate"},
    OwnNames{OwnField::kTaxIncluded,
             "taxincluded|vatincluded|includesvat|includestax|pricesincludetax|taxinclusive|tvacomprise|ivaincluido"},
    OwnNames{
        OwnField::kAsOf,
        "asof|date|pricedate|snapshotdate|observedat|observed|collectedat|fetchedat|timestamp|day|updated|lastupdated|"
        "updatedat|datum|stand|fecha|datedereleve|fechadeactualizacion|actualizado|misejour|miseajour"},
    OwnNames{OwnField::kSource, "source|sourceurl|url"},
    OwnNames{OwnField::kReliability,
             "reliability|reliability2|hostreliability|uptime|uptimepercent|uptimepct|zuverlassigkeit|fiabilite|"
             "fiabilidad"},
    OwnNames{OwnField::kNodes,
             "nodes|numnodes|nodecount|numberofnodes|numinstances|instancecount|machines|nummachines"},
    OwnNames{OwnField::kForm,
             "formfactor|form|interconnect|gpuinterconnect|variant|gpuvariant|socket|gpusocket|link|gpulink|"
             "gpuformfactor|formfaktor|facteurdeforme|factordeforma|variante|sockel|interconexion|interconnexion"},
    OwnNames{OwnField::kLeastGpus,
             "mingpus|mingpucount|mingpu|minimumgpus|minimumgpucount|minnumgpus|gpusmin|gpumin|mindestgpus"},
    OwnNames{OwnField::kSystem,
             "os|operatingsystem|ostype|osname|osfamily|operatingsystems|betriebssystem|systemeexploitation|"
             "systemedexploitation|sistemaoperativo|productdescription"},
};

}  // namespace gpuplan
