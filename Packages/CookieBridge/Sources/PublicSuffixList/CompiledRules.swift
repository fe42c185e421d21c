// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: The Mozilla Foundation and the contributors to the Public Suffix List
//
// Made by Scripts/refresh-public-suffixes from Data/public_suffix_list.dat; not to be edited.
// This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
// distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

/// The rules of the public suffix list; their form is told in the script.
enum CompiledRules {
    /// How many labels the longest rule has, a wildcard's own included.
    static let maxLabels = 5

    /// How many lines there are.
    static let count = 9506

    /// Sorted by bytes, each line with its end.
    static let text: StaticString = """
        0.bg
        001www.com p
        0e.vc p
        0emm.com q
        1.azurestaticapps.net p
        1.bg
        123hjemmeside.dk p
        123hjemmeside.no p
        123homepage.it p
        123kotisivu.fi p
        123minsida.se p
        123miweb.es p
        123paginaweb.pt p
        123sait.ru p
        123siteweb.fr p
        123webseite.at p
        123webseite.de p
        123website.be p
        123website.ch p
        123website.lu p
        123website.nl p
        12hp.at p
        12hp.ch p
        12hp.de p
        1337.pictures p
        16-b.it p
        1kapp.com p
        2.azurestaticapps.net p
        2.bg
        2000.hu
        2038.io p
        2ix.at p
        2ix.ch p
        2ix.de p
        3.bg
        32-b.it p
        3utilities.com p
        4.bg
        4lima.at p
        4lima.ch p
        4lima.de p
        4u.com p
        5.bg
        5g.in
        6.bg
        611.to p
        64-b.it p
        6g.in
        7.bg
        8.bg
        9.bg
        9guacu.br
        a.bg
        a.prod.fastly.net p
        a.run.app p
        a.se
        a.ssl.fastly.net p
        aa.no
        aaa
        aaa.pro
        aarborte.no
        aarp
        ab.ca
        abarth
        abashiri.hokkaido.jp
        abb
        abbott
        abbvie
        abc
        abc.br
        abeno.osaka.jp
        abiko.chiba.jp
        abira.hokkaido.jp
        abkhazia.su p
        able
        abo.pa
        abogado
        abr.it
        abruzzo.it
        abu.yamaguchi.jp
        abudhabi
        ac
        ac.ae
        ac.at
        ac.be
        ac.ci
        ac.cn
        ac.cr
        ac.cy
        ac.fj
        ac.gn
        ac.gov.br
        ac.id
        ac.il
        ac.im
        ac.in
        ac.ir
        ac.jp
        ac.ke
        ac.kr
        ac.leg.br p
        ac.lk
        ac.ls
        ac.ma
        ac.me
        ac.mu
        ac.mw
        ac.mz
        ac.ni
        ac.nz
        ac.pa
        ac.pr
        ac.rs
        ac.ru p
        ac.rw
        ac.se
        ac.sz
        ac.th
        ac.tj
        ac.tz
        ac.ug
        ac.uk
        ac.vn
        ac.za
        ac.zm
        ac.zw
        aca.pro
        academia.bo
        academy
        academy.museum
        accenture
        accesscam.org p
        accident-investigation.aero
        accident-prevention.aero
        accountant
        accountants
        acct.pro
        achi.nagano.jp
        aco
        act.au
        act.edu.au
        activetrail.biz p
        actor
        ad
        ad.jp
        adachi.tokyo.jp
        adimo.co.uk p
        adm.br
        adobeaemcloud.com p
        adobeaemcloud.net p
        adobeio-static.net p
        adobeioruntime.net p
        ads
        adult
        adult.ht
        adv.br
        adv.mz
        advisor.ws q
        adygeya.ru p
        adygeya.su p
        ae
        ae.org p
        aeg
        aejrie.no
        aero
        aero.mv
        aero.tt
        aerobatic.aero
        aeroclub.aero
        aerodrome.aero
        aeroport.fr
        aetna
        af
        affinitylottery.org.uk p
        afjord.no
        afl
        africa
        africa.bj
        africa.com p
        ag
        ag.it
        aga.niigata.jp
        agakhan
        agano.niigata.jp
        agdenes.no
        agematsu.nagano.jp
        agency
        agents.aero
        agr.br
        agrar.hu
        agric.za
        agriculture.museum
        agrigento.it
        agro.bj
        agro.bo
        agro.pl
        aguni.okinawa.jp
        ah.cn
        ah.no
        ai
        ai.in
        aibetsu.hokkaido.jp
        aichi.jp
        aid.pl
        aig
        aikawa.kanagawa.jp
        ainan.ehime.jp
        aioi.hyogo.jp
        aip.ee
        air-surveillance.aero
        air-traffic-control.aero
        air.museum
        airbus
        aircraft.aero
        airforce
        airguard.museum
        airkitapps-au.com p
        airkitapps.com p
        airkitapps.eu p
        airline.aero
        airport.aero
        airtel
        airtraffic.aero
        aisai.aichi.jp
        aisho.shiga.jp
        aivencloud.com p
        aizubange.fukushima.jp
        aizumi.tokushima.jp
        aizumisato.fukushima.jp
        aizuwakamatsu.fukushima.jp
        aju.br
        ak.us
        akabira.hokkaido.jp
        akadns.net p
        akagi.shimane.jp
        akaiwa.okayama.jp
        akamai-staging.net p
        akamai.net p
        akamaiedge-staging.net p
        akamaiedge.net p
        akamaihd-staging.net p
        akamaihd.net p
        akamaiorigin-staging.net p
        akamaiorigin.net p
        akamaized-staging.net p
        akamaized.net p
        akashi.hyogo.jp
        akdn
        aki.kochi.jp
        akiruno.tokyo.jp
        akishima.tokyo.jp
        akita.akita.jp
        akita.jp
        akkeshi.hokkaido.jp
        aknoluokta.no
        ako.hyogo.jp
        akrehamn.no
        aktyubinsk.su p
        akune.kagoshima.jp
        al
        al.eu.org p
        al.gov.br
        al.it
        al.leg.br p
        al.no
        al.us
        alabama.museum
        alaheadju.no
        aland.fi
        alaska.museum
        alces.network q
        alessandria.it
        alesund.no
        alfaromeo
        algard.no
        alibaba
        alipay
        allfinanz
        allstate
        ally
        alp1.ae.flow.ch p
        alpha-myqnapcloud.com p
        alpha.bounty-full.com p
        alsace
        alstahaug.no
        alstom
        alt.za
        alta.no
        altervista.org p
        alto-adige.it
        altoadige.it
        alvdal.no
        alwaysdata.net p
        am
        am.br
        am.gov.br
        am.in
        am.leg.br p
        ama.aichi.jp
        ama.shimane.jp
        amagasaki.hyogo.jp
        amakusa.kumamoto.jp
        amami.kagoshima.jp
        amazon
        amber.museum
        ambulance.aero
        ambulance.museum
        american.museum
        americana.museum
        americanantiques.museum
        americanart.museum
        americanexpress
        americanfamily
        amex
        amfam
        ami.ibaraki.jp
        amica
        amli.no
        amot.no
        amscompute.com p
        amsterdam
        amsterdam.museum
        amusement.aero
        an.it
        analytics
        anamizu.ishikawa.jp
        anan.nagano.jp
        anan.tokushima.jp
        anani.br
        ancona.it
        and.museum
        andasuolo.no
        andebu.no
        ando.nara.jp
        andoy.no
        andria-barletta-trani.it
        andria-trani-barletta.it
        andriabarlettatrani.it
        andriatranibarletta.it
        android
        angry.jp p
        anjo.aichi.jp
        ann-arbor.mi.us
        annaka.gunma.jp
        annefrank.museum
        anpachi.gifu.jp
        anquan
        anthro.museum
        anthropology.museum
        antiques.museum
        anz
        ao
        ao.it
        aogaki.hyogo.jp
        aogashima.tokyo.jp
        aoki.nagano.jp
        aol
        aomori.aomori.jp
        aomori.jp
        aosta-valley.it
        aosta.it
        aostavalley.it
        aoste.it
        ap-northeast-1.elasticbeanstalk.com p
        ap-northeast-2.elasticbeanstalk.com p
        ap-northeast-3.elasticbeanstalk.com p
        ap-south-1.elasticbeanstalk.com p
        ap-southeast-1.elasticbeanstalk.com p
        ap-southeast-2.elasticbeanstalk.com p
        ap.gov.br
        ap.gov.pl
        ap.it
        ap.leg.br p
        aparecida.br
        apartments
        api.gov.uk p
        api.stdlib.com p
        apigee.io p
        app
        app.banzaicloud.io p
        app.br
        app.gp p
        app.lmpm.com p
        app.os.fedoraproject.org p
        app.os.stg.fedoraproject.org p
        app.render.com p
        appchizi.com p
        appengine.flow.ch p
        apple
        applinzi.com p
        apps.fbsbx.com p
        apps.lair.io p
        appspacehosted.com p
        appspaceusercontent.com p
        appspot.com p
        appudo.net p
        aq
        aq.it
        aquarelle
        aquarium.museum
        aquila.it
        ar
        ar.com p
        ar.it
        ar.us
        arab
        arai.shizuoka.jp
        arakawa.saitama.jp
        arakawa.tokyo.jp
        aramco
        arao.kumamoto.jp
        arboretum.museum
        archaeological.museum
        archaeology.museum
        archi
        architectes.bj
        architecture.museum
        ardal.no
        aremark.no
        arendal.no
        arezzo.it
        ariake.saga.jp
        arida.wakayama.jp
        aridagawa.wakayama.jp
        arita.saga.jp
        arkhangelsk.su p
        armenia.su p
        army
        arna.no
        arpa
        arq.br
        art
        art.br
        art.do
        art.dz
        art.ht
        art.museum
        art.pl p
        art.sn
        artanddesign.museum
        artcenter.museum
        artdeco.museum
        arte
        arte.bo
        arteducation.museum
        artgallery.museum
        arts.co
        arts.museum
        arts.nf
        arts.ro
        arts.ve
        artsandcrafts.museum
        arvo.network p
        as
        as.us
        asago.hyogo.jp
        asahi.chiba.jp
        asahi.ibaraki.jp
        asahi.mie.jp
        asahi.nagano.jp
        asahi.toyama.jp
        asahi.yamagata.jp
        asahikawa.hokkaido.jp
        asaka.saitama.jp
        asakawa.fukushima.jp
        asakuchi.okayama.jp
        asaminami.hiroshima.jp
        ascoli-piceno.it
        ascolipiceno.it
        asda
        aseral.no
        ashgabad.su p
        ashibetsu.hokkaido.jp
        ashikaga.tochigi.jp
        ashiya.fukuoka.jp
        ashiya.hyogo.jp
        ashoro.hokkaido.jp
        asia
        asker.no
        askim.no
        askoy.no
        askvoll.no
        asmatart.museum
        asn.au
        asn.lv
        asnes.no
        aso.kumamoto.jp
        ass.km
        assabu.hokkaido.jp
        assassination.museum
        assisi.museum
        assn.lk
        asso.ci
        asso.dz
        asso.eu.org p
        asso.fr
        asso.gp
        asso.ht
        asso.km
        asso.mc
        asso.nc
        asso.re
        associates
        association.aero
        association.museum
        assur.bj
        asti.it
        astronomy.museum
        asuke.aichi.jp
        at
        at-band-camp.net p
        at.eu.org p
        at.it
        at.md p
        at.vg p
        atami.shizuoka.jp
        ath.cx p
        athleta
        atl.jelastic.vps-host.net p
        atlanta.museum
        atm.pl
        ato.br
        atsugi.kanagawa.jp
        atsuma.hokkaido.jp
        attorney
        au
        au.eu.org p
        auction
        audi
        audible
        audio
        audnedaln.no
        augustow.pl
        aukra.no
        aure.no
        aurland.no
        aurskog-holand.no
        aus.basketball p
        auspost
        austevoll.no
        austin.museum
        australia.museum
        austrheim.no
        authgear-staging.com p
        authgearapps.com p
        author
        author.aero
        auto
        auto.pl
        autocode.dev p
        automotive.museum
        autos
        av.it
        av.tr
        avellino.it
        averoy.no
        avianca
        aviation.museum
        avocat.fr
        avocat.pro
        avocats.bj
        avoues.fr
        aw
        awaji.hyogo.jp
        awdev.ca q
        aws
        awsglobalaccelerator.com p
        awsmppl.com p
        ax
        axa
        axis.museum
        aya.miyazaki.jp
        ayabe.kyoto.jp
        ayagawa.kagawa.jp
        ayase.kanagawa.jp
        az
        az.us
        azerbaijan.su p
        azimuth.network p
        azumino.nagano.jp
        azure
        azure-mobile.net p
        azurecontainer.io q
        azurestaticapps.net p
        azurewebsites.net p
        b-data.io p
        b.bg
        b.br
        b.se
        b.ssl.fastly.net p
        ba
        ba.gov.br
        ba.it
        ba.leg.br p
        babia-gora.pl
        baby
        babyblue.jp p
        babymilk.jp p
        backdrop.jp p
        backplaneapp.io p
        backyards.banzaicloud.io q
        badaddja.no
        badajoz.museum
        baghdad.museum
        bahcavuotna.no
        bahccavuotna.no
        bahn.museum
        baidar.no
        baidu
        bajddar.no
        balashov.su p
        balat.no
        bale.museum
        balena-devices.com p
        balestrand.no
        ballangen.no
        ballooning.aero
        balsan-sudtirol.it
        balsan-suedtirol.it
        balsan.it
        balsfjord.no
        baltimore.museum
        bambina.jp p
        bamble.no
        banamex
        bananarepublic
        band
        bandai.fukushima.jp
        bando.ibaraki.jp
        bank
        banzai.cloud q
        bar
        bar.pro
        bar0.net p
        bar1.net p
        bar2.net p
        barcelona
        barcelona.museum
        barclaycard
        barclays
        bardu.no
        barefoot
        bargains
        bari.it
        barletta-trani-andria.it
        barlettatraniandria.it
        barrel-of-knowledge.info p
        barrell-of-knowledge.info p
        barsy.bg p
        barsy.ca p
        barsy.club p
        barsy.co.uk p
        barsy.de p
        barsy.eu p
        barsy.in p
        barsy.info p
        barsy.io p
        barsy.me p
        barsy.menu p
        barsy.mobi p
        barsy.net p
        barsy.online p
        barsy.org p
        barsy.pro p
        barsy.pub p
        barsy.ro p
        barsy.shop p
        barsy.site p
        barsy.support p
        barsy.uk p
        barsycenter.com p
        barsyonline.co.uk p
        barsyonline.com p
        barueri.br
        barum.no
        bas.it
        base.ec p
        base.shop p
        baseball
        baseball.museum
        basel.museum
        bashkiria.ru p
        bashkiria.su p
        basicserver.io p
        basilicata.it
        basketball
        baths.museum
        bato.tochigi.jp
        batsfjord.no
        bauern.museum
        bauhaus
        bayern
        bb
        bbc
        bbs.tr
        bbt
        bbva
        bc.ca
        bc.platform.sh p
        bcg
        bci.dnstrace.pro p
        bcn
        bd w
        bd.se
        be
        be.ax p
        be.eu.org p
        be.gy p
        beagleboard.io p
        bearalvahki.no
        beardu.no
        beats
        beauty
        beauxarts.museum
        bedzin.pl
        beeldengeluid.museum
        beep.pl p
        beer
        beget.app q
        beiarn.no
        bel.tr
        belau.pw
        belem.br
        bellevue.museum
        belluno.it
        benevento.it
        bentley
        beppu.oita.jp
        berg.no
        bergamo.it
        bergbau.museum
        bergen.no
        berkeley.museum
        berlevag.no
        berlin
        berlin.museum
        bern.museum
        beskidy.pl
        best
        bestbuy
        bet
        bet.ar
        beta.bounty-full.com p
        beta.tailscale.net p
        betainabox.com p
        better-than.tv p
        bf
        bg
        bg.eu.org p
        bg.it
        bh
        bharti
        bhz.br
        bi
        bi.it
        bialowieza.pl
        bialystok.pl
        bib.br
        bib.ve
        bibai.hokkaido.jp
        bible
        bible.museum
        bid
        biei.hokkaido.jp
        bielawa.pl
        biella.it
        bieszczady.pl
        bievat.no
        bifuka.hokkaido.jp
        bihar.in
        bihoro.hokkaido.jp
        bike
        bilbao.museum
        bill.museum
        bindal.no
        bing
        bingo
        bio
        bio.br
        bip.sh p
        bir.ru p
        biratori.hokkaido.jp
        birdart.museum
        birkenes.no
        birthplace.museum
        bitbridge.net p
        bitbucket.io p
        bitter.jp p
        biz
        biz.at p
        biz.az
        biz.bb
        biz.cy
        biz.dk p
        biz.et
        biz.fj
        biz.gl p
        biz.id
        biz.in
        biz.ki
        biz.ls
        biz.mv
        biz.mw
        biz.my
        biz.ni
        biz.nr
        biz.pk
        biz.pl
        biz.pr
        biz.ss
        biz.tj
        biz.tr
        biz.tt
        biz.ua p
        biz.vn
        biz.wf p
        biz.zm
        bizen.okayama.jp
        bj
        bj.cn
        bjarkoy.no
        bjerkreim.no
        bjugn.no
        bl.it
        black
        blackbaudcdn.net p
        blackfriday
        blockbuster
        blog
        blog.bo
        blog.br
        blog.gt p
        blog.kg p
        blog.vu p
        blogdns.com p
        blogdns.net p
        blogdns.org p
        blogsite.org p
        blogsite.xyz p
        blogspot.ae p
        blogspot.al p
        blogspot.am p
        blogspot.ba p
        blogspot.be p
        blogspot.bg p
        blogspot.bj p
        blogspot.ca p
        blogspot.cf p
        blogspot.ch p
        blogspot.cl p
        blogspot.co.at p
        blogspot.co.id p
        blogspot.co.il p
        blogspot.co.ke p
        blogspot.co.nz p
        blogspot.co.uk p
        blogspot.co.za p
        blogspot.com p
        blogspot.com.ar p
        blogspot.com.au p
        blogspot.com.br p
        blogspot.com.by p
        blogspot.com.co p
        blogspot.com.cy p
        blogspot.com.ee p
        blogspot.com.eg p
        blogspot.com.es p
        blogspot.com.mt p
        blogspot.com.ng p
        blogspot.com.tr p
        blogspot.com.uy p
        blogspot.cv p
        blogspot.cz p
        blogspot.de p
        blogspot.dk p
        blogspot.fi p
        blogspot.fr p
        blogspot.gr p
        blogspot.hk p
        blogspot.hr p
        blogspot.hu p
        blogspot.ie p
        blogspot.in p
        blogspot.is p
        blogspot.it p
        blogspot.jp p
        blogspot.kr p
        blogspot.li p
        blogspot.lt p
        blogspot.lu p
        blogspot.md p
        blogspot.mk p
        blogspot.mr p
        blogspot.mx p
        blogspot.my p
        blogspot.nl p
        blogspot.no p
        blogspot.pe p
        blogspot.pt p
        blogspot.qa p
        blogspot.re p
        blogspot.ro p
        blogspot.rs p
        blogspot.ru p
        blogspot.se p
        blogspot.sg p
        blogspot.si p
        blogspot.sk p
        blogspot.sn p
        blogspot.td p
        blogspot.tw p
        blogspot.ug p
        blogspot.vn p
        blogsyte.com p
        bloomberg
        bloxcms.com p
        blue
        bluebite.io p
        blush.jp p
        bm
        bmd.br
        bmoattachments.org p
        bms
        bmw
        bn
        bn.it
        bnpparibas
        bnr.la p
        bo
        bo.it
        bo.nordland.no
        bo.telemark.no
        boats
        boavista.br
        bodo.no
        boehringer
        bofa
        bokn.no
        boldlygoingnowhere.org p
        boleslawiec.pl
        bolivia.bo
        bologna.it
        bolt.hu
        bolzano-altoadige.it
        bolzano.it
        bom
        bomlo.no
        bond
        bonn.museum
        boo
        boo.jp p
        book
        booking
        bookonline.app p
        boomla.net p
        bosch
        bostik
        boston
        boston.museum
        bot
        botanical.museum
        botanicalgarden.museum
        botanicgarden.museum
        botany.museum
        bounceme.net p
        bounty-full.com p
        boutique
        boutir.com p
        box
        boxfuse.io p
        boy.jp p
        boyfriend.jp p
        bozen-sudtirol.it
        bozen-suedtirol.it
        bozen.it
        bplaced.com p
        bplaced.de p
        bplaced.net p
        br
        br.com p
        br.it
        bradesco
        brand.se
        brandywinevalley.museum
        brasil.museum
        brasilia.me p
        bremanger.no
        brescia.it
        bridgestone
        brindisi.it
        bristol.museum
        british.museum
        britishcolumbia.museum
        broadcast.museum
        broadway
        broke-it.net p
        broker
        broker.aero
        bronnoy.no
        bronnoysund.no
        brother
        browsersafetymark.io p
        brumunddal.no
        brunel.museum
        brussel.museum
        brussels
        brussels.museum
        bruxelles.museum
        bryansk.su p
        bryne.no
        bs
        bs.it
        bsb.br
        bss.design p
        bt
        bt.it
        bu.no
        budejju.no
        build
        build.run q
        builder.code.com q
        builders
        building.museum
        builtwithdark.com p
        bukhara.su p
        bulsan-sudtirol.it
        bulsan-suedtirol.it
        bulsan.it
        bungoono.oita.jp
        bungotakada.oita.jp
        bunkyo.tokyo.jp
        burghof.museum
        bus.museum
        busan.kr
        bushey.museum
        business
        business.in
        but.jp p
        buy
        buyshop.jp p
        buyshouses.net p
        buzen.fukuoka.jp
        buzz
        bv
        bw
        by
        bydgoszcz.pl
        byen.site p
        bygland.no
        bykle.no
        bytom.pl
        bz
        bz.it
        bzh
        bzz.dapps.earth q
        c.bg
        c.cdn77.org p
        c.la p
        c.se
        c66.me p
        ca
        ca-central-1.elasticbeanstalk.com p
        ca.eu.org p
        ca.in
        ca.it
        ca.na
        ca.reclaim.cloud p
        ca.us
        caa.aero
        caa.li p
        cab
        cable-modem.org p
        cadaques.museum
        cafe
        cafjs.com p
        cagliari.it
        cahcesuolo.no
        cal
        cal.it
        calabria.it
        california.museum
        call
        caltanissetta.it
        calvinklein
        cam
        cam.it
        cambridge.museum
        camdvr.org p
        camera
        camp
        campaign.gov.uk p
        campania.it
        campidano-medio.it
        campidanomedio.it
        campinagrande.br
        campinas.br
        campobasso.it
        can.museum
        canada.museum
        candypop.jp p
        canon
        canva-apps.cn p
        canva-apps.com p
        capebreton.museum
        capetown
        capital
        capitalone
        capoo.jp p
        car
        caracal.mythic-beasts.com p
        caravan
        carbonia-iglesias.it
        carboniaiglesias.it
        cards
        care
        career
        careers
        cargo.aero
        carrara-massa.it
        carraramassa.it
        carrd.co p
        carrier.museum
        cars
        cartoonart.museum
        casa
        casacam.net p
        casadelamoneda.museum
        case
        caserta.it
        cash
        casino
        casino.hu
        castle.museum
        castres.museum
        cat
        cat.ax p
        catania.it
        catanzaro.it
        catering
        catering.aero
        catfood.jp p
        catholic
        catholic.edu.au
        caxias.br
        cb.it
        cba
        cbg.ru p
        cbn
        cbre
        cbs
        cc
        cc.ak.us
        cc.al.us
        cc.ar.us
        cc.as.us
        cc.az.us
        cc.ca.us
        cc.co.us
        cc.ct.us
        cc.dc.us
        cc.de.us
        cc.fl.us
        cc.ga.us
        cc.gu.us
        cc.hi.us
        cc.hn p
        cc.ia.us
        cc.id.us
        cc.il.us
        cc.in.us
        cc.ks.us
        cc.ky.us
        cc.la.us
        cc.ma.us
        cc.md.us
        cc.me.us
        cc.mi.us
        cc.mn.us
        cc.mo.us
        cc.ms.us
        cc.mt.us
        cc.na
        cc.nc.us
        cc.nd.us
        cc.ne.us
        cc.nh.us
        cc.nj.us
        cc.nm.us
        cc.nv.us
        cc.ny.us
        cc.oh.us
        cc.ok.us
        cc.or.us
        cc.pa.us
        cc.pr.us
        cc.ri.us
        cc.sc.us
        cc.sd.us
        cc.tn.us
        cc.tx.us
        cc.ua p
        cc.ut.us
        cc.va.us
        cc.vi.us
        cc.vt.us
        cc.wa.us
        cc.wi.us
        cc.wv.us
        cc.wy.us
        cci.fr
        cd
        cd.eu.org p
        cdn-edges.net p
        cdn.prod.atlassian-dev.net p
        cdn77-ssl.net p
        ce.gov.br
        ce.it
        ce.leg.br p
        cechire.com p
        celtic.museum
        center
        center.museum
        centralus.azurestaticapps.net p
        ceo
        cern
        certification.aero
        certmgr.org p
        cesena-forli.it
        cesenaforli.it
        cf
        cf-ipfs.com p
        cfa
        cfd
        cg
        ch
        ch.eu.org p
        ch.it
        ch.tc p
        ch.trendhosting.cloud p
        chambagri.fr
        championship.aero
        chanel
        channel
        channelsdvr.net p
        charity
        charter.aero
        chase
        chat
        chattanooga.museum
        cheap
        cheap.jp p
        cheltenham.museum
        cherkassy.ua
        cherkasy.ua
        chernigov.ua
        chernihiv.ua
        chernivtsi.ua
        chernovtsy.ua
        chesapeakebay.museum
        chiba.jp
        chicago.museum
        chicappa.jp p
        chichibu.saitama.jp
        chieti.it
        chigasaki.kanagawa.jp
        chihayaakasaka.osaka.jp
        chijiwa.nagasaki.jp
        chikugo.fukuoka.jp
        chikuho.fukuoka.jp
        chikuhoku.nagano.jp
        chikujo.fukuoka.jp
        chikuma.nagano.jp
        chikusei.ibaraki.jp
        chikushino.fukuoka.jp
        chikuzen.fukuoka.jp
        children.museum
        childrens.museum
        childrensgarden.museum
        chillout.jp p
        chimkent.su p
        chino.nagano.jp
        chintai
        chippubetsu.hokkaido.jp
        chips.jp p
        chiropractic.museum
        chirurgiens-dentistes-en-france.fr p
        chirurgiens-dentistes.fr
        chiryu.aichi.jp
        chita.aichi.jp
        chitose.hokkaido.jp
        chiyoda.gunma.jp
        chiyoda.tokyo.jp
        chizu.tottori.jp
        chocolate.museum
        chofu.tokyo.jp
        chonan.chiba.jp
        chosei.chiba.jp
        choshi.chiba.jp
        chowder.jp p
        choyo.kumamoto.jp
        christiansburg.museum
        christmas
        chrome
        chtr.k12.ma.us
        chu.jp p
        chungbuk.kr
        chungnam.kr
        chuo.chiba.jp
        chuo.fukuoka.jp
        chuo.osaka.jp
        chuo.tokyo.jp
        chuo.yamanashi.jp
        church
        ci
        ci.it
        ciao.jp p
        ciencia.bo
        cieszyn.pl
        cim.br
        cincinnati.museum
        cinema.museum
        cipriani
        circle
        circus.museum
        cisco
        ciscofreak.com p
        cistron.nl p
        citadel
        citi
        citic
        city
        city.hu
        city.kawasaki.jp x
        city.kitakyushu.jp x
        city.kobe.jp x
        city.nagoya.jp x
        city.sapporo.jp x
        city.sendai.jp x
        city.yokohama.jp x
        cityeats
        civilaviation.aero
        civilisation.museum
        civilization.museum
        civilwar.museum
        ck w
        ck.ua
        cl
        cl.it
        claims
        clan.rip p
        cleaning
        clerk.app p
        clerkstage.app p
        cleverapps.io p
        click
        clicketcloud.com p
        clickrising.net p
        clinic
        clinique
        clinton.museum
        clock.museum
        clothing
        cloud
        cloud-fr1.unispace.io p
        cloud.fedoraproject.org p
        cloud.goog p
        cloud.interhostsolutions.be p
        cloud.jelastic.open.tim.it p
        cloud.metacentrum.cz q
        cloud.nospamproxy.com p
        cloud66.ws p
        cloud66.zone p
        cloudaccess.host p
        cloudaccess.net p
        cloudapp.net p
        cloudapps.digital p
        cloudcontrolapp.com p
        cloudcontrolled.com p
        cloudera.site q
        cloudflare-ipfs.com p
        cloudfront.net p
        cloudfunctions.net p
        cloudjiffy.net p
        cloudns.asia p
        cloudns.biz p
        cloudns.cc p
        cloudns.club p
        cloudns.eu p
        cloudns.in p
        cloudns.info p
        cloudns.org p
        cloudns.pro p
        cloudns.pw p
        cloudns.us p
        cloudsite.builders p
        cloudycluster.net p
        club
        club.aero
        club.tw
        clubmed
        cm
        cn
        cn-north-1.eb.amazonaws.com.cn p
        cn-northwest-1.eb.amazonaws.com.cn p
        cn.com p
        cn.eu.org p
        cn.in
        cn.it
        cn.ua
        cn.vu p
        cng.br
        cnpy.gdn p
        cns.joyent.com q
        cnt.br
        co
        co.ae
        co.ag
        co.am
        co.ao
        co.at
        co.bb
        co.bi
        co.bj
        co.bn p
        co.business p
        co.bw
        co.ca p
        co.ci
        co.cl
        co.cm
        co.com p
        co.cr
        co.cz p
        co.dk p
        co.education p
        co.events p
        co.financial p
        co.gg
        co.gl
        co.gy
        co.hu
        co.id
        co.il
        co.im
        co.in
        co.ir
        co.it
        co.je
        co.jp
        co.ke
        co.kr
        co.krd p
        co.lc
        co.ls
        co.ma
        co.me
        co.mg
        co.mu
        co.mw
        co.mz
        co.na
        co.network p
        co.ni
        co.nl p
        co.no p
        co.nz
        co.om
        co.pl p
        co.place p
        co.pn
        co.pw
        co.ro p
        co.rs
        co.rw
        co.st
        co.sz
        co.technology p
        co.th
        co.tj
        co.tm
        co.tt
        co.tz
        co.ua p
        co.ug
        co.uk
        co.us
        co.uz
        co.ve
        co.vi
        co.za
        co.zm
        co.zw
        coach
        coal.museum
        coastaldefence.museum
        cocotte.jp p
        code.run q
        codeberg.page p
        codes
        codespot.com p
        cody.museum
        coffee
        cog.mi.us
        col.ng p
        coldwar.museum
        collection.museum
        college
        collegefan.org p
        cologne
        colonialwilliamsburg.museum
        coloradoplateau.museum
        columbia.museum
        columbus.museum
        com
        com.ac
        com.af
        com.ag
        com.ai
        com.al
        com.am
        com.ar
        com.au
        com.aw
        com.az
        com.ba
        com.bb
        com.bh
        com.bi
        com.bj
        com.bm
        com.bn
        com.bo
        com.br
        com.bs
        com.bt
        com.by
        com.bz
        com.ci
        com.cm
        com.cn
        com.co
        com.cu
        com.cv
        com.cw
        com.cy
        com.de p
        com.dm
        com.do
        com.dz
        com.ec
        com.ee
        com.eg
        com.es
        com.et
        com.fj
        com.fm
        com.fr
        com.ge
        com.gh
        com.gi
        com.gl
        com.gn
        com.gp
        com.gr
        com.gt
        com.gu
        com.gy
        com.hk
        com.hn
        com.hr
        com.ht
        com.im
        com.in
        com.io
        com.iq
        com.is
        com.jo
        com.kg
        com.ki
        com.km
        com.kp
        com.kw
        com.ky
        com.kz
        com.la
        com.lb
        com.lc
        com.lk
        com.lr
        com.lv
        com.ly
        com.mg
        com.mk
        com.ml
        com.mo
        com.ms
        com.mt
        com.mu
        com.mv
        com.mw
        com.mx
        com.my
        com.na
        com.nf
        com.ng
        com.ni
        com.nr
        com.om
        com.pa
        com.pe
        com.pf
        com.ph
        com.pk
        com.pl
        com.pr
        com.ps
        com.pt
        com.py
        com.qa
        com.re
        com.ro
        com.ru p
        com.sa
        com.sb
        com.sc
        com.sd
        com.se p
        com.sg
        com.sh
        com.sl
        com.sn
        com.so
        com.ss
        com.st
        com.sv
        com.sy
        com.tj
        com.tm
        com.tn
        com.to
        com.tr
        com.tt
        com.tw
        com.ua
        com.ug
        com.uy
        com.uz
        com.vc
        com.ve
        com.vi
        com.vn
        com.vu
        com.ws
        com.ye
        com.zm
        comcast
        commbank
        commune.am
        communication.museum
        communications.museum
        community
        community-pro.de p
        community-pro.net p
        community.museum
        como.it
        company
        compare
        compute-1.amazonaws.com q
        compute.amazonaws.com q
        compute.amazonaws.com.cn q
        compute.estate q
        computer
        computer.museum
        computerhistory.museum
        comsec
        condos
        conf.au
        conf.lv
        conf.se p
        conference.aero
        conn.uk p
        construction
        consulado.st
        consultant.aero
        consulting
        consulting.aero
        contact
        contagem.br
        contemporary.museum
        contemporaryart.museum
        contractors
        control.aero
        convent.museum
        cooking
        cookingchannel
        cool
        coolblog.jp p
        coop
        coop.ar
        coop.br
        coop.ht
        coop.in
        coop.km
        coop.mv
        coop.mw
        coop.py
        coop.rw
        coop.tt
        cooperativa.bo
        copenhagen.museum
        copro.uk p
        corporation.museum
        corsica
        corvette.museum
        cosenza.it
        costume.museum
        couchpotatofries.org p
        council.aero
        country
        countryestate.museum
        county.museum
        coupon
        coupons
        courses
        coz.br
        cpa
        cpa.pro
        cq.cn
        cr
        cr.it
        cr.ua
        crafting.xyz p
        crafts.museum
        cranbrook.museum
        cranky.jp p
        crd.co p
        creation.museum
        credit
        creditcard
        creditunion
        cremona.it
        crew.aero
        cri.br
        cri.nz
        cricket
        crimea.ua
        crotone.it
        crown
        crs
        cruise
        cruises
        cryptonomic.net q
        cs.in
        cs.it
        cs.keliweb.cloud p
        csx.cc p
        ct.it
        ct.us
        cu
        cuiaba.br
        cuisinella
        cultural.museum
        culturalcenter.museum
        culture.museum
        cuneo.it
        cupcake.is p
        curitiba.br
        curv.dev p
        cust.dev.thingdust.io p
        cust.disrec.thingdust.io p
        cust.prod.thingdust.io p
        cust.retrosnub.co.uk p
        cust.testing.thingdust.io p
        custom.metacentrum.cz p
        customer-oci.com q
        customer.mythic-beasts.com p
        customer.speedpartner.de p
        cutegirl.jp p
        cv
        cv.ua
        cw
        cx
        cx.ua p
        cy
        cy.eu.org p
        cya.gg p
        cyber.museum
        cymru
        cymru.museum
        cyon.link p
        cyon.site p
        cyou
        cz
        cz.eu.org p
        cz.it
        czeladz.pl
        czest.pl
        d.bg
        d.gv.vc p
        d.se
        daa.jp p
        dabur
        dad
        daegu.kr
        daejeon.kr
        daemon.panel.gg p
        dagestan.ru p
        dagestan.su p
        daigo.ibaraki.jp
        daisen.akita.jp
        daito.osaka.jp
        daiwa.hiroshima.jp
        dali.museum
        dallas.museum
        damnserver.com p
        dance
        daplie.me p
        dapps.earth q
        data
        database.museum
        database.run q
        date
        date.fukushima.jp
        date.hokkaido.jp
        dating
        datsun
        dattolocal.com p
        dattolocal.net p
        dattorelay.com p
        dattoweb.com p
        davvenjarga.no
        davvesiida.no
        day
        dazaifu.fukuoka.jp
        dc.us
        dclk
        dd-dns.de p
        ddns.me p
        ddns.net p
        ddns5.com p
        ddnsfree.com p
        ddnsgeek.com p
        ddnsking.com p
        ddnslive.com p
        ddnss.de p
        ddnss.org p
        ddr.museum
        dds
        de
        de.com p
        de.cool p
        de.eu.org p
        de.gt p
        de.ls p
        de.md p
        de.trendhosting.cloud p
        de.us
        deal
        dealer
        deals
        deatnu.no
        debian.net p
        deca.jp p
        deci.jp p
        decorativearts.museum
        dedibox.fr p
        dedyn.io p
        def.br
        definima.io p
        definima.net p
        degree
        delaware.museum
        delhi.in
        delivery
        dell
        dell-ogliastra.it
        dellogliastra.it
        delmenhorst.museum
        deloitte
        delta
        demo.datacenter.fi p
        demo.datadetect.com p
        demo.jelastic.com p
        democracia.bo
        democrat
        demon.nl p
        denmark.museum
        deno-staging.dev p
        deno.dev p
        dental
        dentist
        dep.no
        deporte.bo
        depot.museum
        des.br
        desa.id
        desi
        design
        design.aero
        design.museum
        det.br
        deta.app p
        deta.dev p
        detroit.museum
        dev
        dev-builder.code.com q
        dev-myqnapcloud.com p
        dev.adobeaemcloud.com q
        dev.br
        dev.static.land p
        dev.vu p
        devcdnaccesso.com q
        developer.app q
        development.run p
        devices.resinstaging.io p
        df.gov.br
        df.leg.br p
        dgca.aero
        dh.bytemark.co.uk p
        dhl
        diadem.cloud p
        diamonds
        dielddanuorri.no
        diet
        digick.jp p
        digital
        digitaloceanspaces.com q
        diher.solutions q
        dinosaur.museum
        direct
        direct.quickconnect.cn p
        direct.quickconnect.to p
        directory
        discordsays.com p
        discordsez.com p
        discount
        discourse.group p
        discourse.team p
        discover
        discovery.museum
        dish
        diskstation.eu p
        diskstation.me p
        diskstation.org p
        diskussionsbereich.de p
        ditchyourip.com p
        divtasvuodna.no
        divttasvuotna.no
        diy
        dj
        dk
        dk.eu.org p
        dlugoleka.pl
        dm
        dn.ua
        dnepropetrovsk.ua
        dni.us
        dnipropetrovsk.ua
        dnp
        dnsalias.com p
        dnsalias.net p
        dnsalias.org p
        dnsdojo.com p
        dnsdojo.net p
        dnsdojo.org p
        dnsfor.me p
        dnshome.de p
        dnsiskinky.com p
        dnsking.ch p
        dnsup.net p
        dnsupdate.info p
        dnsupdater.de p
        do
        docs
        doctor
        does-it.net p
        doesntexist.com p
        doesntexist.org p
        dog
        dolls.museum
        domains
        donetsk.ua
        donna.no
        donostia.museum
        dontexist.com p
        dontexist.net p
        dontexist.org p
        doomdns.com p
        doomdns.org p
        dopaas.com p
        doshi.yamanashi.jp
        dot
        dovre.no
        download
        dp.ua
        dr.in
        dr.na
        dr.tr
        drammen.no
        drangedal.no
        dray-dns.de p
        drayddns.com p
        draydns.de p
        dreamhosters.com p
        drive
        drobak.no
        drr.ac p
        drud.io p
        drud.us p
        dscloud.biz p
        dscloud.me p
        dscloud.mobi p
        dsmynas.com p
        dsmynas.net p
        dsmynas.org p
        dst.mi.us
        dtv
        dubai
        duckdns.org p
        dunlop
        dupont
        durban
        durham.museum
        dvag
        dvr
        dvrcam.info p
        dvrdns.org p
        dweb.link q
        dy.fi p
        dyn-berlin.de p
        dyn-ip24.de p
        dyn-o-saur.com p
        dyn-vpn.de p
        dyn.cosidns.de p
        dyn.ddnss.de p
        dyn.home-webserver.de p
        dyn53.io p
        dynalias.com p
        dynalias.net p
        dynalias.org p
        dynamic-dns.info p
        dynamisches-dns.de p
        dynathome.net p
        dyndns-at-home.com p
        dyndns-at-work.com p
        dyndns-blog.com p
        dyndns-free.com p
        dyndns-home.com p
        dyndns-ip.com p
        dyndns-mail.com p
        dyndns-office.com p
        dyndns-pics.com p
        dyndns-remote.com p
        dyndns-server.com p
        dyndns-web.com p
        dyndns-wiki.com p
        dyndns-work.com p
        dyndns.biz p
        dyndns.dappnode.io p
        dyndns.ddnss.de p
        dyndns.info p
        dyndns.org p
        dyndns.tv p
        dyndns.ws p
        dyndns1.de p
        dynns.com p
        dynserv.org p
        dynu.net p
        dynv6.net p
        dynvpn.de p
        dyroy.no
        dz
        e.bg
        e.se
        e12.ve
        e164.arpa
        e4.cz p
        earth
        east-kazakhstan.su p
        eastafrica.museum
        eastasia.azurestaticapps.net p
        eastcoast.museum
        eastus2.azurestaticapps.net p
        easypanel.app p
        easypanel.host p
        eat
        eating-organic.net p
        eaton.mi.us
        ebetsu.hokkaido.jp
        ebina.kanagawa.jp
        ebino.miyazaki.jp
        ebiz.tw
        ec
        echizen.fukui.jp
        ecn.br
        eco
        eco.bj
        eco.br
        ecologia.bo
        ecommerce-shop.pl p
        econo.bj
        economia.bo
        ed.ao
        ed.ci
        ed.cr
        ed.jp
        ed.pw
        edeka
        edgeapp.net p
        edgecompute.app p
        edgekey-staging.net p
        edgekey.net p
        edgestack.me p
        edgesuite-staging.net p
        edgesuite.net p
        editorx.io p
        edogawa.tokyo.jp
        edu
        edu.ac
        edu.af
        edu.al
        edu.ar
        edu.au
        edu.az
        edu.ba
        edu.bb
        edu.bh
        edu.bi
        edu.bj
        edu.bm
        edu.bn
        edu.bo
        edu.br
        edu.bs
        edu.bt
        edu.bz
        edu.ci
        edu.cn
        edu.co
        edu.cu
        edu.cv
        edu.cw
        edu.dm
        edu.do
        edu.dz
        edu.ec
        edu.ee
        edu.eg
        edu.es
        edu.et
        edu.eu.org p
        edu.fm
        edu.gd
        edu.ge
        edu.gh
        edu.gi
        edu.gl
        edu.gn
        edu.gp
        edu.gr
        edu.gt
        edu.gu
        edu.gy
        edu.hk
        edu.hn
        edu.ht
        edu.in
        edu.iq
        edu.is
        edu.it
        edu.jo
        edu.kg
        edu.ki
        edu.km
        edu.kn
        edu.kp
        edu.krd p
        edu.kw
        edu.ky
        edu.kz
        edu.la
        edu.lb
        edu.lc
        edu.lk
        edu.lr
        edu.ls
        edu.lv
        edu.ly
        edu.me
        edu.mg
        edu.mk
        edu.ml
        edu.mn
        edu.mo
        edu.ms
        edu.mt
        edu.mv
        edu.mw
        edu.mx
        edu.my
        edu.mz
        edu.ng
        edu.ni
        edu.nr
        edu.om
        edu.pa
        edu.pe
        edu.pf
        edu.ph
        edu.pk
        edu.pl
        edu.pn
        edu.pr
        edu.ps
        edu.pt
        edu.py
        edu.qa
        edu.rs
        edu.ru p
        edu.sa
        edu.sb
        edu.sc
        edu.scot p
        edu.sd
        edu.sg
        edu.sl
        edu.sn
        edu.so
        edu.ss
        edu.st
        edu.sv
        edu.sy
        edu.tj
        edu.tm
        edu.to
        edu.tr
        edu.tt
        edu.tw
        edu.ua
        edu.uy
        edu.vc
        edu.ve
        edu.vn
        edu.vu
        edu.ws
        edu.ye
        edu.za
        edu.zm
        education
        education.museum
        educational.museum
        educator.aero
        edugit.io p
        ee
        ee.eu.org p
        eero-stage.online p
        eero.online p
        eg
        egersund.no
        egoism.jp p
        egyptian.museum
        ehime.jp
        eid.no
        eidfjord.no
        eidsberg.no
        eidskog.no
        eidsvoll.no
        eigersund.no
        eiheiji.fukui.jp
        eisenbahn.museum
        ekloges.cy
        elasticbeanstalk.com p
        elb.amazonaws.com q
        elb.amazonaws.com.cn q
        elblag.pl
        elburg.museum
        elementor.cloud p
        elementor.cool p
        elk.pl
        elvendrell.museum
        elverum.no
        email
        emb.kw
        embaixada.st
        embetsu.hokkaido.jp
        embroidery.museum
        emerck
        emergency.aero
        emilia-romagna.it
        emiliaromagna.it
        emp.br
        empresa.bo
        emr.it
        en-root.fr p
        en.it
        ena.gifu.jp
        encoreapi.com p
        encr.app p
        encyclopedic.museum
        endofinternet.net p
        endofinternet.org p
        endoftheinternet.org p
        enebakk.no
        energy
        enf.br
        eng.br
        eng.pro
        engerdal.no
        engine.aero
        engineer
        engineer.aero
        engineering
        england.museum
        eniwa.hokkaido.jp
        enna.it
        ens.tn
        enscaled.sg p
        ent.platform.sh p
        enterprisecloud.nu p
        enterprises
        entertainment.aero
        entomology.museum
        environment.museum
        environmentalconservation.museum
        epilepsy.museum
        epson
        equipment
        equipment.aero
        er w
        er.in
        ericsson
        erimo.hokkaido.jp
        erni
        erotica.hu
        erotika.hu
        es
        es-1.axarnet.cloud p
        es.ax p
        es.eu.org p
        es.gov.br
        es.kr
        es.leg.br p
        esan.hokkaido.jp
        esashi.hokkaido.jp
        esp.br
        esq
        essex.museum
        est-a-la-maison.com p
        est-a-la-masion.com p
        est-le-patron.com p
        est-mon-blogueur.com p
        est.pr
        estate
        estate.museum
        et
        etajima.hiroshima.jp
        etc.br
        ethnology.museum
        eti.br
        etisalat
        etne.no
        etnedal.no
        eu
        eu-1.evennode.com p
        eu-2.evennode.com p
        eu-3.evennode.com p
        eu-4.evennode.com p
        eu-central-1.elasticbeanstalk.com p
        eu-west-1.elasticbeanstalk.com p
        eu-west-2.elasticbeanstalk.com p
        eu-west-3.elasticbeanstalk.com p
        eu.ax p
        eu.com p
        eu.encoway.cloud p
        eu.int
        eu.meteorapp.com p
        eu.org p
        eu.platform.sh p
        eu.pythonanywhere.com p
        eun.eg
        eurodir.ru p
        eurovision
        eus
        evenassi.no
        evenes.no
        events
        evje-og-hornnes.no
        ex.futurecms.at q
        ex.ortsinfo.at q
        exchange
        exchange.aero
        exeter.museum
        exhibition.museum
        exnet.su p
        expert
        experts-comptables.fr
        exposed
        express
        express.aero
        extraspace
        ezproxy.kuleuven.be p
        f.bg
        f.se
        fage
        fail
        fairwinds
        faith
        fakefur.jp p
        fam.pk
        family
        family.museum
        familyds.com p
        familyds.net p
        familyds.org p
        fan
        fans
        fantasyleague.cc p
        far.br
        farm
        farm.museum
        farmequipment.museum
        farmers
        farmers.museum
        farmstead.museum
        farsund.no
        fashion
        fashionstore.jp p
        fast
        fastly-edge.com p
        fastly-terrarium.com p
        fastlylb.net p
        faststacks.net p
        fastvps-server.com p
        fastvps.host p
        fastvps.site p
        fauske.no
        fbx-os.fr p
        fbxos.fr p
        fc.it
        fe.it
        fed.us
        federation.aero
        fedex
        fedje.no
        fedorainfracloud.org p
        fedorapeople.org p
        feedback
        feira.br
        fem.jp p
        fentiger.mythic-beasts.com p
        fermo.it
        ferrara.it
        ferrari
        ferrero
        feste-ip.net p
        fet.no
        fetsund.no
        fg.it
        fh-muenster.io p
        fh.se
        fhs.no
        fhsk.se
        fhv.se
        fi
        fi.cloudplatform.fi p
        fi.cr
        fi.eu.org p
        fi.it
        fiat
        fidelity
        fido
        fie.ee
        field.museum
        figueres.museum
        filatelia.museum
        filegear-au.me p
        filegear-de.me p
        filegear-gb.me p
        filegear-ie.me p
        filegear-jp.me p
        filegear-sg.me p
        filegear.me p
        film
        film.hu
        film.museum
        fin.ci p
        fin.ec
        fin.tn
        final
        finance
        financial
        fineart.museum
        finearts.museum
        finland.museum
        finnoy.no
        fire
        firebaseapp.com p
        firenet.ch q
        firenze.it
        firestone
        firewall-gateway.com p
        firewall-gateway.de p
        firewall-gateway.net p
        firewalledreplit.co p
        fireweb.app p
        firm.co
        firm.dk p
        firm.ht
        firm.in
        firm.nf
        firm.ng p
        firm.ro
        firm.ve
        firmdale
        fish
        fishing
        fit
        fitjar.no
        fitness
        fj
        fj.cn
        fjaler.no
        fjell.no
        fk w
        fl.us
        fla.no
        flakstad.no
        flanders.museum
        flap.id p
        flatanger.no
        fldrv.com p
        flekkefjord.no
        flesberg.no
        flickr
        flier.jp p
        flight.aero
        flights
        flir
        flog.br
        floppy.jp p
        flora.no
        florence.it
        florida.museum
        floripa.br
        florist
        floro.no
        flowers
        flt.cloud.muni.cz p
        fly
        fly.dev p
        flynnhosting.net p
        fm
        fm.br
        fm.it
        fm.no
        fnc.fr-par.scw.cloud p
        fnd.br
        fnwk.site p
        fo
        foggia.it
        folionetwork.site p
        folkebibl.no
        folldal.no
        foo
        food
        foodnetwork
        fool.jp p
        football
        for-better.biz p
        for-more.biz p
        for-our.info p
        for-some.biz p
        for-the.biz p
        force.museum
        ford
        forde.no
        forex
        forgeblocks.com p
        forgot.her.name p
        forgot.his.name p
        forli-cesena.it
        forlicesena.it
        forsale
        forsand.no
        fortal.br
        forte.id p
        fortmissoula.museum
        fortworth.museum
        forum
        forum.hu
        forumz.info p
        fosnes.no
        fot.br
        foundation
        foundation.museum
        fox
        foz.br
        fr
        fr-1.paas.massivegrid.net p
        fr-par-1.baremetal.scw.cloud p
        fr-par-2.baremetal.scw.cloud p
        fr.eu.org p
        fr.it
        fra1-de.cloudjiffy.net p
        framer.app p
        framer.media p
        framer.photos p
        framer.website p
        framer.wiki p
        framercanvas.com p
        frana.no
        francaise.museum
        frankfurt.museum
        franziskaner.museum
        fredrikstad.no
        free
        free.hr p
        freebox-os.com p
        freebox-os.fr p
        freeboxos.com p
        freeboxos.fr p
        freeddns.org p
        freeddns.us p
        freedesktop.org p
        freemasonry.museum
        freemyip.com p
        freesite.host p
        freetls.fastly.net p
        frei.no
        freiburg.museum
        frenchkiss.jp p
        fresenius
        fribourg.museum
        friuli-v-giulia.it
        friuli-ve-giulia.it
        friuli-vegiulia.it
        friuli-venezia-giulia.it
        friuli-veneziagiulia.it
        friuli-vgiulia.it
        friuliv-giulia.it
        friulive-giulia.it
        friulivegiulia.it
        friulivenezia-giulia.it
        friuliveneziagiulia.it
        friulivgiulia.it
        frl
        frog.museum
        frogans
        frogn.no
        froland.no
        from-ak.com p
        from-al.com p
        from-ar.com p
        from-az.net p
        from-ca.com p
        from-co.net p
        from-ct.com p
        from-dc.com p
        from-de.com p
        from-fl.com p
        from-ga.com p
        from-hi.com p
        from-ia.com p
        from-id.com p
        from-il.com p
        from-in.com p
        from-ks.com p
        from-ky.com p
        from-la.net p
        from-ma.com p
        from-md.com p
        from-me.org p
        from-mi.com p
        from-mn.com p
        from-mo.com p
        from-ms.com p
        from-mt.com p
        from-nc.com p
        from-nd.com p
        from-ne.com p
        from-nh.com p
        from-nj.com p
        from-nm.com p
        from-nv.com p
        from-ny.net p
        from-oh.com p
        from-ok.com p
        from-or.com p
        from-pa.com p
        from-pr.com p
        from-ri.com p
        from-sc.com p
        from-sd.com p
        from-tn.com p
        from-tx.com p
        from-ut.com p
        from-va.com p
        from-vt.com p
        from-wa.com p
        from-wi.com p
        from-wv.com p
        from-wy.com p
        from.hr
        frontdoor
        frontier
        frosinone.it
        frosta.no
        froya.no
        frusky.de q
        fst.br
        ftpaccess.cc p
        ftr
        fuchu.hiroshima.jp
        fuchu.tokyo.jp
        fuchu.toyama.jp
        fudai.iwate.jp
        fuefuki.yamanashi.jp
        fuel.aero
        fuettertdasnetz.de p
        fuji.shizuoka.jp
        fujieda.shizuoka.jp
        fujiidera.osaka.jp
        fujikawa.shizuoka.jp
        fujikawa.yamanashi.jp
        fujikawaguchiko.yamanashi.jp
        fujimi.nagano.jp
        fujimi.saitama.jp
        fujimino.saitama.jp
        fujinomiya.shizuoka.jp
        fujioka.gunma.jp
        fujisato.akita.jp
        fujisawa.iwate.jp
        fujisawa.kanagawa.jp
        fujishiro.ibaraki.jp
        fujitsu
        fujiyoshida.yamanashi.jp
        fukagawa.hokkaido.jp
        fukaya.saitama.jp
        fukuchi.fukuoka.jp
        fukuchiyama.kyoto.jp
        fukudomi.saga.jp
        fukui.fukui.jp
        fukui.jp
        fukumitsu.toyama.jp
        fukuoka.jp
        fukuroi.shizuoka.jp
        fukusaki.hyogo.jp
        fukushima.fukushima.jp
        fukushima.hokkaido.jp
        fukushima.jp
        fukuyama.hiroshima.jp
        fun
        funabashi.chiba.jp
        funagata.yamagata.jp
        funahashi.toyama.jp
        functions.fnc.fr-par.scw.cloud p
        fund
        fundacio.museum
        fuoisku.no
        fuossko.no
        furano.hokkaido.jp
        furniture
        furniture.museum
        furubira.hokkaido.jp
        furudono.fukushima.jp
        furukawa.miyagi.jp
        fusa.no
        fuso.aichi.jp
        fussa.tokyo.jp
        futaba.fukushima.jp
        futbol
        futsu.nagasaki.jp
        futtsu.chiba.jp
        futurecms.at q
        futurehosting.at p
        futuremailing.at p
        fvg.it
        fyi
        fylkesbibl.no
        fyresdal.no
        g.bg
        g.se
        g.vbrplsbx.io p
        g12.br
        ga
        ga.us
        gaivuotna.no
        gal
        gallery
        gallery.museum
        gallo
        gallup
        galsa.no
        gamagori.aichi.jp
        game
        game-host.org p
        game-server.cc p
        game.tw
        games
        games.hu
        gamo.shiga.jp
        gamvik.no
        gangaviika.no
        gangwon.kr
        gap
        garden
        garden.museum
        gateway.dev q
        gateway.museum
        gaular.no
        gausdal.no
        gay
        gb
        gb.net p
        gbiz
        gc.ca
        gd
        gd.cn
        gda.pl p
        gdansk.pl p
        gdn
        gdynia.pl p
        ge
        ge.it
        gea
        geek.nz
        geekgalaxy.com p
        geelvinck.museum
        gehirn.ne.jp p
        geisei.kochi.jp
        gemological.museum
        gen.in
        gen.mi.us
        gen.ng p
        gen.nz
        gen.tr
        genkai.saga.jp
        genoa.it
        genova.it
        gent
        gentapps.com p
        genting
        gentlentapis.com p
        geo.br
        geology.museum
        geometre-expert.fr
        george
        georgia.museum
        georgia.su p
        getmyip.com p
        gets-it.net p
        gf
        gg
        gg.ax p
        ggee
        ggf.br
        gh
        ghost.io p
        gi
        giehtavuoatna.no
        giessen.museum
        gift
        gifts
        gifu.gifu.jp
        gifu.jp
        giize.com p
        gildeskal.no
        ginan.gifu.jp
        ginowan.okinawa.jp
        ginoza.okinawa.jp
        girlfriend.jp p
        girly.jp p
        giske.no
        git-pages.rit.edu p
        git-repos.de p
        gitapp.si p
        github.io p
        githubpreview.dev p
        githubusercontent.com p
        gitlab.io p
        gitpage.si p
        gives
        giving
        gjemnes.no
        gjerdrum.no
        gjerstad.no
        gjesdal.no
        gjovik.no
        gl
        glas.museum
        glass
        glass.museum
        gle
        gleeze.com p
        gliding.aero
        glitch.me p
        gliwice.pl p
        global
        global.prod.fastly.net p
        global.ssl.fastly.net p
        globo
        glogow.pl
        gloomy.jp p
        gloppen.no
        glug.org.uk p
        gm
        gmail
        gmbh
        gmina.pl
        gmo
        gmx
        gn
        gniezno.pl
        go.ci
        go.cr
        go.dyndns.org p
        go.gov.br
        go.id
        go.it
        go.jp
        go.ke
        go.kr
        go.leg.br p
        go.pw
        go.th
        go.tj
        go.tz
        go.ug
        gob.ar
        gob.bo
        gob.cl
        gob.do
        gob.ec
        gob.es
        gob.gt
        gob.hn
        gob.mx
        gob.ni
        gob.pa
        gob.pe
        gob.pk
        gob.sv
        gob.ve
        gobo.wakayama.jp
        godaddy
        godo.gifu.jp
        goiania.br
        goip.de p
        gojome.akita.jp
        gok.pk
        gokase.miyazaki.jp
        gol.no
        gold
        goldpoint
        golf
        golffan.us p
        gon.pk
        gonna.jp p
        gonohe.aomori.jp
        goo
        goodyear
        goog
        google
        googleapis.com p
        googlecode.com p
        gop
        gop.pk
        gorge.museum
        gorizia.it
        gorlice.pl
        gos.pk
        gose.nara.jp
        gosen.niigata.jp
        goshiki.hyogo.jp
        got
        gotdns.ch p
        gotdns.com p
        gotdns.org p
        gotemba.shizuoka.jp
        goto.nagasaki.jp
        gotpantheon.com p
        gotsu.shimane.jp
        goupile.fr p
        gouv.ci
        gouv.fr
        gouv.ht
        gouv.km
        gouv.ml
        gouv.sn
        gov
        gov.ac
        gov.ae
        gov.af
        gov.al
        gov.ar
        gov.as
        gov.au
        gov.az
        gov.ba
        gov.bb
        gov.bf
        gov.bh
        gov.bm
        gov.bn
        gov.br
        gov.bs
        gov.bt
        gov.by
        gov.bz
        gov.cd
        gov.cl
        gov.cm
        gov.cn
        gov.co
        gov.cu
        gov.cx
        gov.cy
        gov.dm
        gov.do
        gov.dz
        gov.ec
        gov.ee
        gov.eg
        gov.et
        gov.fj
        gov.gd
        gov.ge
        gov.gh
        gov.gi
        gov.gn
        gov.gr
        gov.gu
        gov.gy
        gov.hk
        gov.ie
        gov.il
        gov.in
        gov.iq
        gov.ir
        gov.is
        gov.it
        gov.jo
        gov.kg
        gov.ki
        gov.km
        gov.kn
        gov.kp
        gov.kw
        gov.kz
        gov.la
        gov.lb
        gov.lc
        gov.lk
        gov.lr
        gov.ls
        gov.lt
        gov.lv
        gov.ly
        gov.ma
        gov.me
        gov.mg
        gov.mk
        gov.ml
        gov.mn
        gov.mo
        gov.mr
        gov.ms
        gov.mu
        gov.mv
        gov.mw
        gov.my
        gov.mz
        gov.nc.tr
        gov.ng
        gov.nl p
        gov.nr
        gov.om
        gov.ph
        gov.pk
        gov.pl
        gov.pn
        gov.pr
        gov.ps
        gov.pt
        gov.py
        gov.qa
        gov.rs
        gov.ru p
        gov.rw
        gov.sa
        gov.sb
        gov.sc
        gov.scot p
        gov.sd
        gov.sg
        gov.sh
        gov.sl
        gov.so
        gov.ss
        gov.sx
        gov.sy
        gov.tj
        gov.tl
        gov.tm
        gov.tn
        gov.to
        gov.tr
        gov.tt
        gov.tw
        gov.ua
        gov.uk
        gov.vc
        gov.ve
        gov.vn
        gov.ws
        gov.ye
        gov.za
        gov.zm
        gov.zw
        government.aero
        govt.nz
        gp
        gq
        gr
        gr.com p
        gr.eu.org p
        gr.it
        gr.jp
        grainger
        grajewo.pl
        gran.no
        grandrapids.museum
        grane.no
        granvin.no
        graphics
        graphox.us p
        gratangen.no
        gratis
        graz.museum
        greater.jp p
        green
        greta.fr
        grimstad.no
        gripe
        griw.gov.pl
        grocery
        groks-the.info p
        groks-this.info p
        grondar.za
        grong.no
        grosseto.it
        groundhandling.aero
        group
        group.aero
        grozny.ru p
        grozny.su p
        grp.lk
        gru.br
        grue.no
        gs
        gs.aa.no
        gs.ah.no
        gs.bu.no
        gs.cn
        gs.fm.no
        gs.hl.no
        gs.hm.no
        gs.jan-mayen.no
        gs.mr.no
        gs.nl.no
        gs.nt.no
        gs.of.no
        gs.ol.no
        gs.oslo.no
        gs.rl.no
        gs.sf.no
        gs.st.no
        gs.svalbard.no
        gs.tm.no
        gs.tr.no
        gs.va.no
        gs.vf.no
        gsj.bz p
        gsm.pl
        gt
        gu
        gu.us
        guam.gu
        guardian
        gub.uy
        gucci
        guernsey.museum
        guge
        guide
        guitars
        gujarat.in
        gujo.gifu.jp
        gulen.no
        gunma.jp
        guovdageaidnu.no
        guru
        gushikami.okinawa.jp
        gv.ao
        gv.at
        gv.vc p
        gw
        gwangju.kr
        gx.cn
        gy
        gyeongbuk.kr
        gyeonggi.kr
        gyeongnam.kr
        gyokuto.kumamoto.jp
        gz.cn
        h.bg
        h.se
        ha.cn
        ha.no
        habikino.osaka.jp
        habmer.no
        haboro.hokkaido.jp
        hacca.jp p
        hachijo.tokyo.jp
        hachinohe.aomori.jp
        hachioji.tokyo.jp
        hachirogata.akita.jp
        hadano.kanagawa.jp
        hadsel.no
        haebaru.okinawa.jp
        haga.tochigi.jp
        hagebostad.no
        hagi.yamaguchi.jp
        haibara.shizuoka.jp
        hair
        hakata.fukuoka.jp
        hakodate.hokkaido.jp
        hakone.kanagawa.jp
        hakuba.nagano.jp
        hakui.ishikawa.jp
        hakusan.ishikawa.jp
        halden.no
        half.host p
        halloffame.museum
        halsa.no
        ham-radio-op.net p
        hamada.shimane.jp
        hamamatsu.shizuoka.jp
        hamar.no
        hamaroy.no
        hamatama.saga.jp
        hamatonbetsu.hokkaido.jp
        hamburg
        hamburg.museum
        hammarfeasta.no
        hammerfest.no
        hamura.tokyo.jp
        hanamaki.iwate.jp
        hanamigawa.chiba.jp
        hanawa.fukushima.jp
        handa.aichi.jp
        handcrafted.jp p
        handson.museum
        hanggliding.aero
        hangout
        hannan.osaka.jp
        hanno.saitama.jp
        hanyu.saitama.jp
        hapmir.no
        happou.akita.jp
        hara.nagano.jp
        haram.no
        hareid.no
        harima.hyogo.jp
        harstad.no
        harvestcelebration.museum
        hasama.oita.jp
        hasami.nagasaki.jp
        hashbang.sh p
        hashikami.aomori.jp
        hashima.gifu.jp
        hashimoto.wakayama.jp
        hasuda.saitama.jp
        hasura-app.io p
        hasura.app p
        hasvik.no
        hatogaya.saitama.jp
        hatoyama.saitama.jp
        hatsukaichi.hiroshima.jp
        hattfjelldal.no
        haugesund.no
        haus
        hawaii.museum
        hayakawa.yamanashi.jp
        hayashima.okayama.jp
        hazu.aichi.jp
        hb.cldmail.ru p
        hb.cn
        hbo
        hdfc
        hdfcbank
        he.cn
        health
        health-carereform.com p
        health.museum
        health.nz
        health.vn
        healthcare
        heavy.jp p
        heguri.nara.jp
        heimatunduhren.museum
        hekinan.aichi.jp
        hellas.museum
        help
        helsinki
        helsinki.museum
        hembygdsforbund.museum
        hemne.no
        hemnes.no
        hemsedal.no
        hepforge.org p
        her.jp p
        herad.no
        here
        here-for-more.info p
        heritage.museum
        hermes
        herokuapp.com p
        herokussl.com p
        heroy.more-og-romsdal.no
        heroy.nordland.no
        heteml.net p
        hgtv
        hi.cn
        hi.us
        hicam.net p
        hichiso.gifu.jp
        hida.gifu.jp
        hidaka.hokkaido.jp
        hidaka.kochi.jp
        hidaka.saitama.jp
        hidaka.wakayama.jp
        hidora.com p
        higashi.fukuoka.jp
        higashi.fukushima.jp
        higashi.okinawa.jp
        higashiagatsuma.gunma.jp
        higashichichibu.saitama.jp
        higashihiroshima.hiroshima.jp
        higashiizu.shizuoka.jp
        higashiizumo.shimane.jp
        higashikagawa.kagawa.jp
        higashikagura.hokkaido.jp
        higashikawa.hokkaido.jp
        higashikurume.tokyo.jp
        higashimatsushima.miyagi.jp
        higashimatsuyama.saitama.jp
        higashimurayama.tokyo.jp
        higashinaruse.akita.jp
        higashine.yamagata.jp
        higashiomi.shiga.jp
        higashiosaka.osaka.jp
        higashishirakawa.gifu.jp
        higashisumiyoshi.osaka.jp
        higashitsuno.kochi.jp
        higashiura.aichi.jp
        higashiyama.kyoto.jp
        higashiyamato.tokyo.jp
        higashiyodogawa.osaka.jp
        higashiyoshino.nara.jp
        hiho.jp p
        hiji.oita.jp
        hikari.yamaguchi.jp
        hikawa.shimane.jp
        hikimi.shimane.jp
        hikone.shiga.jp
        himeji.hyogo.jp
        himeshima.oita.jp
        himi.toyama.jp
        hino.tokyo.jp
        hino.tottori.jp
        hinode.tokyo.jp
        hinohara.tokyo.jp
        hioki.kagoshima.jp
        hiphop
        hippy.jp p
        hirado.nagasaki.jp
        hiraizumi.iwate.jp
        hirakata.osaka.jp
        hiranai.aomori.jp
        hirara.okinawa.jp
        hirata.fukushima.jp
        hiratsuka.kanagawa.jp
        hiraya.nagano.jp
        hirogawa.wakayama.jp
        hirokawa.fukuoka.jp
        hirono.fukushima.jp
        hirono.iwate.jp
        hiroo.hokkaido.jp
        hirosaki.aomori.jp
        hiroshima.jp
        hisamitsu
        hisayama.fukuoka.jp
        histoire.museum
        historical.museum
        historicalsociety.museum
        historichouses.museum
        historisch.museum
        historisches.museum
        history.museum
        historyofscience.museum
        hita.oita.jp
        hitachi
        hitachi.ibaraki.jp
        hitachinaka.ibaraki.jp
        hitachiomiya.ibaraki.jp
        hitachiota.ibaraki.jp
        hitra.no
        hiv
        hizen.saga.jp
        hjartdal.no
        hjelmeland.no
        hk
        hk.cn
        hk.com p
        hk.org p
        hkt
        hl.cn
        hl.no
        hlx.live p
        hlx.page p
        hlx3.page p
        hm
        hm.no
        hn
        hn.cn
        hobby-site.com p
        hobby-site.org p
        hobol.no
        hockey
        hof.no
        hofu.yamaguchi.jp
        hokkaido.jp
        hokksund.no
        hokuryu.hokkaido.jp
        hokuto.hokkaido.jp
        hokuto.yamanashi.jp
        hol.no
        holdings
        hole.no
        holiday
        holmestrand.no
        holtalen.no
        holy.jp p
        home-webserver.de p
        home.dyndns.org p
        homebuilt.aero
        homedepot
        homedns.org p
        homeftp.net p
        homeftp.org p
        homegoods
        homeip.net p
        homelink.one p
        homelinux.com p
        homelinux.net p
        homelinux.org p
        homeoffice.gov.uk p
        homes
        homesecuritymac.com p
        homesecuritypc.com p
        homesense
        homesklep.pl p
        homeunix.com p
        homeunix.net p
        homeunix.org p
        honai.ehime.jp
        honbetsu.hokkaido.jp
        honda
        honefoss.no
        hongo.hiroshima.jp
        honjo.akita.jp
        honjo.saitama.jp
        honjyo.akita.jp
        hoplix.shop p
        hopto.me p
        hopto.org p
        hornindal.no
        horokanai.hokkaido.jp
        horology.museum
        horonobe.hokkaido.jp
        horse
        horten.no
        hosp.uk p
        hospital
        host
        hostedpi.com p
        hosting
        hosting-cluster.nl p
        hosting.myjino.ru q
        hosting.ovh.net q
        hostyhosting.io p
        hot
        hotel.hu
        hotel.lk
        hotel.tz
        hoteles
        hotels
        hotelwithflight.com p
        hotmail
        house
        house.museum
        how
        hoyanger.no
        hoylandet.no
        hr
        hr.eu.org p
        hra.health p
        hs.kr
        hs.run p
        hs.zone p
        hsbc
        ht
        httpbin.org p
        hu
        hu.com p
        hu.eu.org p
        hu.net p
        hughes
        huissier-justice.fr
        humanities.museum
        hungry.jp p
        hurdal.no
        hurum.no
        hvaler.no
        hyatt
        hyllestad.no
        hyogo.jp
        hyuga.miyazaki.jp
        hyundai
        hzc.io p
        i.bg
        i.ng
        i.ph
        i.se
        i234.me p
        ia.us
        iamallama.com p
        ibara.okayama.jp
        ibaraki.ibaraki.jp
        ibaraki.jp
        ibaraki.osaka.jp
        ibestad.no
        ibigawa.gifu.jp
        ibm
        ibxos.it p
        ic.gov.pl
        icbc
        ice
        ichiba.tokushima.jp
        ichihara.chiba.jp
        ichikai.tochigi.jp
        ichikawa.chiba.jp
        ichikawa.hyogo.jp
        ichikawamisato.yamanashi.jp
        ichinohe.iwate.jp
        ichinomiya.aichi.jp
        ichinomiya.chiba.jp
        ichinoseki.iwate.jp
        icu
        icurus.jp p
        id
        id.au
        id.firewalledreplit.co p
        id.forgerock.io p
        id.ir
        id.lv
        id.ly
        id.repl.co p
        id.us
        ide.kyoto.jp
        idf.il
        idrett.no
        idv.hk
        idv.tw
        ie
        ie.eu.org p
        ieee
        if.ua
        ifm
        iglesias-carbonia.it
        iglesiascarbonia.it
        iheya.okinawa.jp
        iida.nagano.jp
        iide.yamagata.jp
        iijima.nagano.jp
        iitate.fukushima.jp
        iiyama.nagano.jp
        iizuka.fukuoka.jp
        iizuna.nagano.jp
        ikano
        ikaruga.nara.jp
        ikata.ehime.jp
        ikawa.akita.jp
        ikeda.fukui.jp
        ikeda.gifu.jp
        ikeda.hokkaido.jp
        ikeda.nagano.jp
        ikeda.osaka.jp
        iki.fi p
        iki.nagasaki.jp
        ikoma.nara.jp
        ikusaka.nagano.jp
        il
        il.eu.org p
        il.us
        ilawa.pl
        iliadboxos.it p
        illustration.museum
        ilovecollege.info p
        im
        im.it
        imabari.ehime.jp
        imageandsound.museum
        imakane.hokkaido.jp
        imamat
        imari.saga.jp
        imb.br
        imdb
        imizu.toyama.jp
        immo
        immobilien
        imperia.it
        impertrix.com p
        impertrixcdn.com p
        in
        in-addr.arpa
        in-berlin.de p
        in-brb.de p
        in-butter.de p
        in-dsl.de p
        in-dsl.net p
        in-dsl.org p
        in-the-band.net p
        in-vpn.de p
        in-vpn.net p
        in-vpn.org p
        in.eu.org p
        in.futurecms.at q
        in.na
        in.net p
        in.ni
        in.rs
        in.th
        in.ua
        in.us
        ina.ibaraki.jp
        ina.nagano.jp
        ina.saitama.jp
        inabe.mie.jp
        inagawa.hyogo.jp
        inagi.tokyo.jp
        inami.toyama.jp
        inami.wakayama.jp
        inashiki.ibaraki.jp
        inatsuki.fukuoka.jp
        inawashiro.fukushima.jp
        inazawa.aichi.jp
        inc
        inc.hk p
        incheon.kr
        ind.br
        ind.gt
        ind.in
        ind.kw
        ind.tn
        independent-commission.uk p
        independent-inquest.uk p
        independent-inquiry.uk p
        independent-panel.uk p
        independent-review.uk p
        inderoy.no
        indian.museum
        indiana.museum
        indianapolis.museum
        indianmarket.museum
        indie.porn p
        indigena.bo
        industria.bo
        industries
        ine.kyoto.jp
        inf.br
        inf.cu
        inf.mk
        inf.ua p
        infiniti
        info
        info.at p
        info.au
        info.az
        info.bb
        info.bj
        info.bo
        info.co
        info.cx p
        info.ec
        info.et
        info.fj
        info.gu
        info.ht
        info.hu
        info.in
        info.ke
        info.ki
        info.la
        info.ls
        info.mv
        info.na
        info.nf
        info.ni
        info.nr
        info.pk
        info.pl
        info.pr
        info.ro
        info.sd
        info.tn
        info.tr
        info.tt
        info.tz
        info.ve
        info.vn
        info.zm
        ing
        ing.pa
        ingatlan.hu
        ink
        ino.kochi.jp
        instance.datadetect.com p
        instances.spawn.cc p
        instantcloud.cn p
        institute
        insurance
        insurance.aero
        insure
        int
        int.ar
        int.az
        int.bo
        int.ci
        int.co
        int.cv
        int.eu.org p
        int.in
        int.is
        int.la
        int.lk
        int.mv
        int.mw
        int.ni
        int.pt
        int.ru p
        int.tj
        int.tt
        int.ve
        int.vn
        intelligence.museum
        interactive.museum
        international
        internet-dns.de p
        internet.in
        intl.tn
        intuit
        inuyama.aichi.jp
        investments
        inzai.chiba.jp
        io
        io.in
        io.kg p
        iobb.net p
        iopsys.se p
        ip.linodeusercontent.com p
        ip6.arpa
        ipifony.net p
        ipiranga
        iq
        ir
        iraq.museum
        iris.arpa
        irish
        iron.museum
        iruma.saitama.jp
        is
        is-a-anarchist.com p
        is-a-blogger.com p
        is-a-bookkeeper.com p
        is-a-bruinsfan.org p
        is-a-bulls-fan.com p
        is-a-candidate.org p
        is-a-caterer.com p
        is-a-celticsfan.org p
        is-a-chef.com p
        is-a-chef.net p
        is-a-chef.org p
        is-a-conservative.com p
        is-a-cpa.com p
        is-a-cubicle-slave.com p
        is-a-democrat.com p
        is-a-designer.com p
        is-a-doctor.com p
        is-a-financialadvisor.com p
        is-a-geek.com p
        is-a-geek.net p
        is-a-geek.org p
        is-a-green.com p
        is-a-guru.com p
        is-a-hard-worker.com p
        is-a-hunter.com p
        is-a-knight.org p
        is-a-landscaper.com p
        is-a-lawyer.com p
        is-a-liberal.com p
        is-a-libertarian.com p
        is-a-linux-user.org p
        is-a-llama.com p
        is-a-musician.com p
        is-a-nascarfan.com p
        is-a-nurse.com p
        is-a-painter.com p
        is-a-patsfan.org p
        is-a-personaltrainer.com p
        is-a-photographer.com p
        is-a-player.com p
        is-a-republican.com p
        is-a-rockstar.com p
        is-a-socialist.com p
        is-a-soxfan.org p
        is-a-student.com p
        is-a-teacher.com p
        is-a-techie.com p
        is-a-therapist.com p
        is-an-accountant.com p
        is-an-actor.com p
        is-an-actress.com p
        is-an-anarchist.com p
        is-an-artist.com p
        is-an-engineer.com p
        is-an-entertainer.com p
        is-by.us p
        is-certified.com p
        is-found.org p
        is-gone.com p
        is-into-anime.com p
        is-into-cars.com p
        is-into-cartoons.com p
        is-into-games.com p
        is-leet.com p
        is-lost.org p
        is-not-certified.com p
        is-saved.org p
        is-slick.com p
        is-uberleet.com p
        is-very-bad.org p
        is-very-evil.org p
        is-very-good.org p
        is-very-nice.org p
        is-very-sweet.org p
        is-with-theband.com p
        is.eu.org p
        is.gov.pl
        is.it
        isa-geek.com p
        isa-geek.net p
        isa-geek.org p
        isa-hockeynut.com p
        isa.kagoshima.jp
        isa.us
        isahaya.nagasaki.jp
        ise.mie.jp
        isehara.kanagawa.jp
        isen.kagoshima.jp
        isernia.it
        iserv.dev p
        iservschule.de p
        isesaki.gunma.jp
        ishigaki.okinawa.jp
        ishikari.hokkaido.jp
        ishikawa.fukushima.jp
        ishikawa.jp
        ishikawa.okinawa.jp
        ishinomaki.miyagi.jp
        isla.pr
        isleofman.museum
        ismaili
        isshiki.aichi.jp
        issmarterthanyou.com p
        ist
        istanbul
        isteingeek.de p
        istmein.de p
        isumi.chiba.jp
        it
        it.ao
        it.com p
        it.eu.org p
        it1.eur.aruba.jenv-aruba.cloud p
        it1.jenv-aruba.cloud p
        itabashi.tokyo.jp
        itako.ibaraki.jp
        itakura.gunma.jp
        itami.hyogo.jp
        itano.tokushima.jp
        itau
        itayanagi.aomori.jp
        itcouldbewor.se p
        itigo.jp p
        ito.shizuoka.jp
        itoigawa.niigata.jp
        itoman.okinawa.jp
        its.me
        itv
        ivano-frankivsk.ua
        ivanovo.su p
        iveland.no
        ivgu.no
        iwade.wakayama.jp
        iwafune.tochigi.jp
        iwaizumi.iwate.jp
        iwaki.fukushima.jp
        iwakuni.yamaguchi.jp
        iwakura.aichi.jp
        iwama.ibaraki.jp
        iwamizawa.hokkaido.jp
        iwanai.hokkaido.jp
        iwanuma.miyagi.jp
        iwata.shizuoka.jp
        iwate.iwate.jp
        iwate.jp
        iwatsuki.saitama.jp
        iwi.nz
        iyo.ehime.jp
        iz.hr
        izena.okinawa.jp
        izu.shizuoka.jp
        izumi.kagoshima.jp
        izumi.osaka.jp
        izumiotsu.osaka.jp
        izumisano.osaka.jp
        izumizaki.fukushima.jp
        izumo.shimane.jp
        izumozaki.niigata.jp
        izunokuni.shizuoka.jp
        j.bg
        j.layershift.co.uk p
        j.scaleforce.com.cy p
        j.scaleforce.net p
        jab.br
        jaguar
        jambyl.su p
        jamison.museum
        jampa.br
        jan-mayen.no
        java
        jaworzno.pl
        jc.neen.it p
        jcb
        jcloud-ver-jpc.ik-server.com p
        jcloud.ik-server.com p
        jcloud.kz p
        jdevcloud.com p
        jdf.br
        je
        jed.wafaicloud.com p
        jeep
        jefferson.museum
        jeju.kr
        jelastic.dogado.eu p
        jelastic.regruhosting.ru p
        jelastic.saveincloud.net p
        jelastic.team p
        jelastic.tsukaeru.net p
        jele.cloud p
        jele.club p
        jele.host p
        jele.io p
        jele.site p
        jelenia-gora.pl
        jellybean.jp p
        jeonbuk.kr
        jeonnam.kr
        jerusalem.museum
        jessheim.no
        jetzt
        jevnaker.no
        jewelry
        jewelry.museum
        jewish.museum
        jewishart.museum
        jfk.museum
        jgora.pl
        jinsekikogen.hiroshima.jp
        jio
        jl.cn
        jll
        jls-sto1.elastx.net p
        jls-sto2.elastx.net p
        jls-sto3.elastx.net p
        jm w
        jmp
        jnj
        jo
        joboji.iwate.jp
        jobs
        jobs.tt
        joburg
        joetsu.niigata.jp
        jogasz.hu
        johana.toyama.jp
        joinville.br
        jolster.no
        jondal.no
        jor.br
        jorpeland.no
        joso.ibaraki.jp
        jot
        jotelulu.cloud p
        journal.aero
        journalism.museum
        journalist.aero
        joy
        joyo.kyoto.jp
        jozi.biz p
        jp
        jp.eu.org p
        jp.kg p
        jp.md p
        jp.net p
        jpmorgan
        jpn.com p
        jprs
        js.cn
        js.org p
        js.wpenginepowered.com p
        ju.mp p
        judaica.museum
        judygarland.museum
        juedisches.museum
        juegos
        juif.museum
        juniper
        jur.pro
        jus.br
        jx.cn
        k.bg
        k.se
        k12.ak.us
        k12.al.us
        k12.ar.us
        k12.as.us
        k12.az.us
        k12.ca.us
        k12.co.us
        k12.ct.us
        k12.dc.us
        k12.de.us
        k12.ec
        k12.fl.us
        k12.ga.us
        k12.gu.us
        k12.ia.us
        k12.id.us
        k12.il
        k12.il.us
        k12.in.us
        k12.ks.us
        k12.ky.us
        k12.la.us
        k12.ma.us
        k12.md.us
        k12.me.us
        k12.mi.us
        k12.mn.us
        k12.mo.us
        k12.ms.us
        k12.mt.us
        k12.nc.us
        k12.ne.us
        k12.nh.us
        k12.nj.us
        k12.nm.us
        k12.nv.us
        k12.ny.us
        k12.oh.us
        k12.ok.us
        k12.or.us
        k12.pa.us
        k12.pr.us
        k12.sc.us
        k12.tn.us
        k12.tr
        k12.tx.us
        k12.ut.us
        k12.va.us
        k12.vi
        k12.vi.us
        k12.vt.us
        k12.wa.us
        k12.wi.us
        k12.wy.us
        k8s.fr-par.scw.cloud p
        k8s.nl-ams.scw.cloud p
        k8s.pl-waw.scw.cloud p
        k8s.scw.cloud p
        kaas.gg p
        kadena.okinawa.jp
        kadogawa.miyazaki.jp
        kadoma.osaka.jp
        kafjord.no
        kaga.ishikawa.jp
        kagami.kochi.jp
        kagamiishi.fukushima.jp
        kagamino.okayama.jp
        kagawa.jp
        kagoshima.jp
        kagoshima.kagoshima.jp
        kaho.fukuoka.jp
        kahoku.ishikawa.jp
        kahoku.yamagata.jp
        kai.yamanashi.jp
        kainan.tokushima.jp
        kainan.wakayama.jp
        kaisei.kanagawa.jp
        kaita.hiroshima.jp
        kaizuka.osaka.jp
        kakamigahara.gifu.jp
        kakegawa.shizuoka.jp
        kakinoki.shimane.jp
        kakogawa.hyogo.jp
        kakuda.miyagi.jp
        kalisz.pl
        kalmykia.ru p
        kalmykia.su p
        kaluga.su p
        kamagaya.chiba.jp
        kamaishi.iwate.jp
        kamakura.kanagawa.jp
        kameoka.kyoto.jp
        kameyama.mie.jp
        kami.kochi.jp
        kami.miyagi.jp
        kamiamakusa.kumamoto.jp
        kamifurano.hokkaido.jp
        kamigori.hyogo.jp
        kamiichi.toyama.jp
        kamiizumi.saitama.jp
        kamijima.ehime.jp
        kamikawa.hokkaido.jp
        kamikawa.hyogo.jp
        kamikawa.saitama.jp
        kamikitayama.nara.jp
        kamikoani.akita.jp
        kamimine.saga.jp
        kaminokawa.tochigi.jp
        kaminoyama.yamagata.jp
        kamioka.akita.jp
        kamisato.saitama.jp
        kamishihoro.hokkaido.jp
        kamisu.ibaraki.jp
        kamisunagawa.hokkaido.jp
        kamitonda.wakayama.jp
        kamitsue.oita.jp
        kamo.kyoto.jp
        kamo.niigata.jp
        kamoenai.hokkaido.jp
        kamogawa.chiba.jp
        kanagawa.jp
        kanan.osaka.jp
        kanazawa.ishikawa.jp
        kanegasaki.iwate.jp
        kaneyama.fukushima.jp
        kaneyama.yamagata.jp
        kani.gifu.jp
        kanie.aichi.jp
        kanmaki.nara.jp
        kanna.gunma.jp
        kannami.shizuoka.jp
        kanonji.kagawa.jp
        kanoya.kagoshima.jp
        kanra.gunma.jp
        kanuma.tochigi.jp
        kanzaki.saga.jp
        kapsi.fi p
        karacol.su p
        karaganda.su p
        karasjohka.no
        karasjok.no
        karasuyama.tochigi.jp
        karate.museum
        karatsu.saga.jp
        karelia.su p
        karikatur.museum
        kariwa.niigata.jp
        kariya.aichi.jp
        karlsoy.no
        karmoy.no
        karpacz.pl
        kartuzy.pl
        karuizawa.nagano.jp
        karumai.iwate.jp
        kasahara.gifu.jp
        kasai.hyogo.jp
        kasama.ibaraki.jp
        kasamatsu.gifu.jp
        kasaoka.okayama.jp
        kashiba.nara.jp
        kashihara.nara.jp
        kashima.ibaraki.jp
        kashima.saga.jp
        kashiwa.chiba.jp
        kashiwara.osaka.jp
        kashiwazaki.niigata.jp
        kasserver.com p
        kasuga.fukuoka.jp
        kasuga.hyogo.jp
        kasugai.aichi.jp
        kasukabe.saitama.jp
        kasumigaura.ibaraki.jp
        kasuya.fukuoka.jp
        kaszuby.pl
        katagami.akita.jp
        katano.osaka.jp
        katashina.gunma.jp
        katori.chiba.jp
        katowice.pl
        katsuragi.nara.jp
        katsuragi.wakayama.jp
        katsushika.tokyo.jp
        katsuura.chiba.jp
        katsuyama.fukui.jp
        kaufen
        kautokeino.no
        kawaba.gunma.jp
        kawachinagano.osaka.jp
        kawagoe.mie.jp
        kawagoe.saitama.jp
        kawaguchi.saitama.jp
        kawahara.tottori.jp
        kawai.iwate.jp
        kawai.nara.jp
        kawaiishop.jp p
        kawajima.saitama.jp
        kawakami.nagano.jp
        kawakami.nara.jp
        kawakita.ishikawa.jp
        kawamata.fukushima.jp
        kawaminami.miyazaki.jp
        kawanabe.kagoshima.jp
        kawanehon.shizuoka.jp
        kawanishi.hyogo.jp
        kawanishi.nara.jp
        kawanishi.yamagata.jp
        kawara.fukuoka.jp
        kawasaki.jp w
        kawasaki.miyagi.jp
        kawatana.nagasaki.jp
        kawaue.gifu.jp
        kawazu.shizuoka.jp
        kayabe.hokkaido.jp
        kazimierz-dolny.pl
        kazo.saitama.jp
        kazuno.akita.jp
        kddi
        ke
        keisen.fukuoka.jp
        keliweb.cloud p
        kembuchi.hokkaido.jp
        kep.tr
        kepno.pl
        kerryhotels
        kerrylogistics
        kerryproperties
        ketrzyn.pl
        keymachine.de p
        kfh
        kg
        kg.kr
        kh w
        kh.ua
        khakassia.su p
        kharkiv.ua
        kharkov.ua
        kherson.ua
        khmelnitskiy.ua
        khmelnytskyi.ua
        khplay.nl p
        ki
        kia
        kibichuo.okayama.jp
        kicks-ass.net p
        kicks-ass.org p
        kids
        kids.museum
        kids.us
        kiev.ua
        kiho.mie.jp
        kihoku.ehime.jp
        kijo.miyazaki.jp
        kikirara.jp p
        kikonai.hokkaido.jp
        kikuchi.kumamoto.jp
        kikugawa.shizuoka.jp
        kilatiron.com p
        kill.jp p
        kilo.jp p
        kim
        kimino.wakayama.jp
        kimitsu.chiba.jp
        kimobetsu.hokkaido.jp
        kin.okinawa.jp
        kinder
        kindle
        kinghost.net p
        kinko.kagoshima.jp
        kinokawa.wakayama.jp
        kira.aichi.jp
        kirkenes.no
        kirovograd.ua
        kiryu.gunma.jp
        kisarazu.chiba.jp
        kishiwada.osaka.jp
        kiso.nagano.jp
        kisofukushima.nagano.jp
        kisosaki.mie.jp
        kita.kyoto.jp
        kita.osaka.jp
        kita.tokyo.jp
        kitaaiki.nagano.jp
        kitaakita.akita.jp
        kitadaito.okinawa.jp
        kitagata.gifu.jp
        kitagata.saga.jp
        kitagawa.kochi.jp
        kitagawa.miyazaki.jp
        kitahata.saga.jp
        kitahiroshima.hokkaido.jp
        kitakami.iwate.jp
        kitakata.fukushima.jp
        kitakata.miyazaki.jp
        kitakyushu.jp w
        kitami.hokkaido.jp
        kitamoto.saitama.jp
        kitanakagusuku.okinawa.jp
        kitashiobara.fukushima.jp
        kitaura.miyazaki.jp
        kitayama.wakayama.jp
        kitchen
        kiwa.mie.jp
        kiwi
        kiwi.nz
        kiyama.saga.jp
        kiyokawa.kanagawa.jp
        kiyosato.hokkaido.jp
        kiyose.tokyo.jp
        kiyosu.aichi.jp
        kizu.kyoto.jp
        klabu.no
        klepp.no
        klodzko.pl
        km
        km.ua
        kmpsp.gov.pl
        kn
        knightpoint.systems p
        knowsitall.info p
        knx-server.net p
        kobayashi.miyazaki.jp
        kobe.jp w
        kobierzyce.pl
        kochi.jp
        kochi.kochi.jp
        kodaira.tokyo.jp
        koebenhavn.museum
        koeln
        koeln.museum
        kofu.yamanashi.jp
        koga.fukuoka.jp
        koga.ibaraki.jp
        koganei.tokyo.jp
        koge.tottori.jp
        koka.shiga.jp
        kokonoe.oita.jp
        kokubunji.tokyo.jp
        kolobrzeg.pl
        komae.tokyo.jp
        komagane.nagano.jp
        komaki.aichi.jp
        komatsu
        komatsu.ishikawa.jp
        komatsushima.tokushima.jp
        komforb.se
        kommunalforbund.se
        kommune.no
        komono.mie.jp
        komoro.nagano.jp
        komvux.se
        konan.aichi.jp
        konan.shiga.jp
        kongsberg.no
        kongsvinger.no
        konin.pl
        konskowola.pl
        konsulat.gov.pl
        konyvelo.hu
        koobin.events p
        koori.fukushima.jp
        kopervik.no
        koriyama.fukushima.jp
        koryo.nara.jp
        kosai.shizuoka.jp
        kosaka.akita.jp
        kosei.shiga.jp
        kosher
        koshigaya.saitama.jp
        koshimizu.hokkaido.jp
        koshu.yamanashi.jp
        kosuge.yamanashi.jp
        kota.aichi.jp
        koto.shiga.jp
        koto.tokyo.jp
        kotohira.kagawa.jp
        kotoura.tottori.jp
        kouhoku.saga.jp
        kounosu.saitama.jp
        kouyama.kagoshima.jp
        kouzushima.tokyo.jp
        koya.wakayama.jp
        koza.wakayama.jp
        kozagawa.wakayama.jp
        kozaki.chiba.jp
        kozow.com p
        kp
        kpmg
        kpn
        kppsp.gov.pl
        kr
        kr.com p
        kr.eu.org p
        kr.it
        kr.ua
        kraanghke.no
        kragero.no
        krakow.pl p
        krasnik.pl p
        krasnodar.su p
        krd
        kred
        krellian.net p
        kristiansand.no
        kristiansund.no
        krodsherad.no
        krokstadelva.no
        krym.ua
        ks.ua
        ks.us
        ktistory.com p
        kuchinotsu.nagasaki.jp
        kudamatsu.yamaguchi.jp
        kudoyama.wakayama.jp
        kui.hiroshima.jp
        kuji.iwate.jp
        kuju.oita.jp
        kujukuri.chiba.jp
        kuki.saitama.jp
        kuleuven.cloud p
        kumagaya.saitama.jp
        kumakogen.ehime.jp
        kumamoto.jp
        kumamoto.kumamoto.jp
        kumano.hiroshima.jp
        kumano.mie.jp
        kumatori.osaka.jp
        kumejima.okinawa.jp
        kumenan.okayama.jp
        kumiyama.kyoto.jp
        kunden.ortsinfo.at q
        kunigami.okinawa.jp
        kunimi.fukushima.jp
        kunisaki.oita.jp
        kunitachi.tokyo.jp
        kunitomi.miyazaki.jp
        kunneppu.hokkaido.jp
        kunohe.iwate.jp
        kunst.museum
        kunstsammlung.museum
        kunstunddesign.museum
        kuokgroup
        kurashiki.okayama.jp
        kurate.fukuoka.jp
        kure.hiroshima.jp
        kurgan.su p
        kuriyama.hokkaido.jp
        kurobe.toyama.jp
        kurogi.fukuoka.jp
        kuroishi.aomori.jp
        kuroiso.tochigi.jp
        kuromatsunai.hokkaido.jp
        kuron.jp p
        kurotaki.nara.jp
        kurume.fukuoka.jp
        kusatsu.gunma.jp
        kusatsu.shiga.jp
        kushima.miyazaki.jp
        kushimoto.wakayama.jp
        kushiro.hokkaido.jp
        kustanai.ru p
        kustanai.su p
        kusu.oita.jp
        kutchan.hokkaido.jp
        kutno.pl
        kuwana.mie.jp
        kuzumaki.iwate.jp
        kv.ua
        kvafjord.no
        kvalsund.no
        kvam.no
        kvanangen.no
        kvinesdal.no
        kvinnherad.no
        kviteseid.no
        kvitsoy.no
        kw
        kwp.gov.pl
        kwpsp.gov.pl
        ky
        ky.us
        kyiv.ua
        kyonan.chiba.jp
        kyotamba.kyoto.jp
        kyotanabe.kyoto.jp
        kyotango.kyoto.jp
        kyoto
        kyoto.jp
        kyowa.akita.jp
        kyowa.hokkaido.jp
        kyuragi.saga.jp
        kz
        l-o-g-i-n.de p
        l.bg
        l.se
        la
        la-spezia.it
        la.us
        laakesvuemie.no
        lab.ms p
        labor.museum
        labour.museum
        lacaixa
        lahppi.no
        lajolla.museum
        lakas.hu
        lamborghini
        lamer
        lanbib.se
        lancashire.museum
        lancaster
        lancia
        land
        land-4-sale.us p
        landes.museum
        landing.myjino.ru q
        landrover
        langevag.no
        lans.museum
        lanxess
        lapy.pl
        laquila.it
        lardal.no
        larsson.museum
        larvik.no
        lasalle
        laspezia.it
        lat
        latina.it
        latino
        latrobe
        lavagis.no
        lavangen.no
        law
        law.pro
        law.za
        lawyer
        laz.it
        lazio.it
        lb
        lc
        lc.it
        lcl.dev q
        lclstage.dev q
        lcube-server.de p
        lds
        le.it
        leadpages.co p
        leangaviika.no
        lease
        leasing.aero
        lebesby.no
        lebork.pl
        lebtimnetz.de p
        lecce.it
        lecco.it
        leclerc
        leczna.pl p
        lefrak
        leg.br
        legal
        legnica.pl
        lego
        leikanger.no
        leirfjord.no
        leirvik.no
        leitungsen.de p
        leka.no
        leksvik.no
        lel.br
        lelux.site p
        lenug.su p
        lenvik.no
        lerdal.no
        lesja.no
        levanger.no
        lewismiller.museum
        lexus
        lezajsk.pl
        lg.jp
        lg.ua
        lgbt
        li
        li.it
        lib.ak.us
        lib.al.us
        lib.ar.us
        lib.as.us
        lib.az.us
        lib.ca.us
        lib.co.us
        lib.ct.us
        lib.dc.us
        lib.de.us p
        lib.ee
        lib.fl.us
        lib.ga.us
        lib.gu.us
        lib.hi.us
        lib.ia.us
        lib.id.us
        lib.il.us
        lib.in.us
        lib.ks.us
        lib.ky.us
        lib.la.us
        lib.ma.us
        lib.md.us
        lib.me.us
        lib.mi.us
        lib.mn.us
        lib.mo.us
        lib.ms.us
        lib.mt.us
        lib.nc.us
        lib.nd.us
        lib.ne.us
        lib.nh.us
        lib.nj.us
        lib.nm.us
        lib.nv.us
        lib.ny.us
        lib.oh.us
        lib.ok.us
        lib.or.us
        lib.pa.us
        lib.pr.us
        lib.ri.us
        lib.sc.us
        lib.sd.us
        lib.tn.us
        lib.tx.us
        lib.ut.us
        lib.va.us
        lib.vi.us
        lib.vt.us
        lib.wa.us
        lib.wi.us
        lib.wy.us
        lidl
        lier.no
        lierne.no
        life
        lifeinsurance
        lifestyle
        lig.it
        lighting
        liguria.it
        like
        likes-pie.com p
        likescandy.com p
        lillehammer.no
        lillesand.no
        lilly
        lima-city.at p
        lima-city.ch p
        lima-city.de p
        lima-city.rocks p
        lima.zone p
        limanowa.pl
        limited
        limo
        lincoln
        lincoln.museum
        lindas.no
        linde
        lindesnes.no
        link
        linkyard-cloud.ch p
        linkyard.cloud p
        linodeobjects.com q
        linz.museum
        lipsy
        littlestar.jp p
        live
        living
        living.museum
        livinghistory.museum
        livorno.it
        lk
        lk3.ru p
        llc
        llp
        ln.cn
        lo.it
        loabat.no
        loan
        loans
        localhistory.museum
        localhost.daplie.me p
        localzone.xyz p
        locker
        locus
        lodi.it
        lodingen.no
        log.br
        loginline.app p
        loginline.dev p
        loginline.io p
        loginline.services p
        loginline.site p
        loginto.me p
        logistics.aero
        logoip.com p
        logoip.de p
        lohmus.me p
        loisirs.bj
        lol
        lolipop.io p
        lolipopmc.jp p
        lolitapunk.jp p
        lom.it
        lom.no
        lombardia.it
        lombardy.it
        lomo.jp p
        lomza.pl
        lon-1.paas.massivegrid.net p
        lon-2.paas.massivegrid.net p
        lon.wafaicloud.com p
        london
        london.cloudapps.digital p
        london.museum
        londrina.br
        loppa.no
        lorenskog.no
        losangeles.museum
        loseyourip.com p
        loten.no
        lotte
        lotto
        louvre.museum
        love
        lovepop.jp p
        lovesick.jp p
        lowicz.pl
        loyalist.museum
        lpages.co p
        lpl
        lplfinancial
        lpusercontent.com p
        lr
        ls
        lt
        lt.eu.org p
        lt.it
        lt.ua
        ltd
        ltd.co.im
        ltd.cy
        ltd.gi
        ltd.hk p
        ltd.lk
        ltd.ng p
        ltd.ua p
        ltd.uk
        ltda
        lu
        lu.eu.org p
        lu.it
        lubartow.pl p
        lubin.pl
        lublin.pl p
        lucania.it
        lucca.it
        lucerne.museum
        lug.org.uk p
        lugansk.ua
        lugs.org.uk p
        lukow.pl
        lund.no
        lundbeck
        lunner.no
        luroy.no
        luster.no
        lutsk.ua
        luxe
        luxembourg.museum
        luxury
        luzern.museum
        lv
        lv.eu.org p
        lv.ua
        lviv.ua
        ly
        lyngdal.no
        lyngen.no
        lynx.mythic-beasts.com p
        m.bg
        m.se
        ma
        ma.gov.br
        ma.leg.br p
        ma.us
        macapa.br
        maceio.br
        macerata.it
        machida.tokyo.jp
        macys
        mad.museum
        madrid
        madrid.museum
        maebashi.gunma.jp
        magazine.aero
        magentosite.cloud q
        magnet.page p
        maibara.shiga.jp
        maif
        mail.pl
        main.jp p
        maintenance.aero
        maison
        maizuru.kyoto.jp
        makeup
        makinohara.shizuoka.jp
        makurazaki.kagoshima.jp
        malatvuopmi.no
        malbork.pl
        mallorca.museum
        malopolska.pl
        malselv.no
        malvik.no
        mamurogawa.yamagata.jp
        man
        management
        manaus.br
        manchester.museum
        mandal.no
        mango
        mangyshlak.su p
        maniwa.okayama.jp
        manno.kagawa.jp
        mansion.museum
        mansions.museum
        mantova.it
        manx.museum
        maori.nz
        map
        map.fastly.net p
        map.fastlylb.net p
        mar.it
        marburg.museum
        marche.it
        marine.ru p
        maringa.br
        maritime.museum
        maritimo.museum
        marker.no
        market
        marketing
        markets
        marnardal.no
        marriott
        marshalls
        marugame.kagawa.jp
        marumori.miyagi.jp
        maryland.museum
        marylhurst.museum
        masaki.ehime.jp
        maserati
        masfjorden.no
        mashike.hokkaido.jp
        mashiki.kumamoto.jp
        mashiko.tochigi.jp
        masoy.no
        massa-carrara.it
        massacarrara.it
        masuda.shimane.jp
        mat.br
        matera.it
        matsubara.osaka.jp
        matsubushi.saitama.jp
        matsuda.kanagawa.jp
        matsudo.chiba.jp
        matsue.shimane.jp
        matsukawa.nagano.jp
        matsumae.hokkaido.jp
        matsumoto.kagoshima.jp
        matsumoto.nagano.jp
        matsuno.ehime.jp
        matsusaka.mie.jp
        matsushige.tokushima.jp
        matsushima.miyagi.jp
        matsuura.nagasaki.jp
        matsuyama.ehime.jp
        matsuzaki.shizuoka.jp
        matta-varjjat.no
        mattel
        mayfirst.info p
        mayfirst.org p
        mazeplay.com p
        mazowsze.pl
        mazury.pl
        mb.ca
        mb.it
        mba
        mc
        mc.ax p
        mc.eu.org p
        mc.it
        mcdir.me p
        mcdir.ru p
        mckinsey
        mcpe.me p
        mcpre.ru p
        md
        md.ci
        md.us
        me
        me.eu.org p
        me.in
        me.it
        me.ke
        me.so
        me.ss
        me.tc p
        me.tz
        me.uk
        me.us
        me.vu p
        med
        med.br
        med.ec
        med.ee
        med.ht
        med.ly
        med.om
        med.pa
        med.pl p
        med.pro
        med.sa
        med.sd
        medecin.fr
        medecin.km
        media
        media.aero
        media.hu
        media.museum
        media.pl
        mediatech.by p
        mediatech.dev p
        medical.museum
        medicina.bo
        medio-campidano.it
        mediocampidano.it
        medizinhistorisches.museum
        meeres.museum
        meet
        meguro.tokyo.jp
        mein-iserv.de p
        mein-vigor.de p
        meinforum.net p
        meiwa.gunma.jp
        meiwa.mie.jp
        mel.cloudlets.com.au p
        meland.no
        melbourne
        meldal.no
        melhus.no
        meloy.no
        members.linode.com p
        meme
        memorial
        memorial.museum
        memset.net p
        men
        menu
        meraker.no
        merckmsd
        merseine.nu p
        mesaverde.museum
        messerli.app p
        messina.it
        messwithdns.com p
        meteorapp.com p
        mex.com p
        mg
        mg.gov.br
        mg.leg.br p
        mh
        mi.it
        mi.th
        mi.us
        miami
        miasa.nagano.jp
        miasta.pl
        mibu.tochigi.jp
        michigan.museum
        microlight.aero
        microsoft
        midatlantic.museum
        midori.chiba.jp
        midori.gunma.jp
        midsund.no
        midtre-gauldal.no
        mie.jp
        mielec.pl
        mielno.pl
        mifune.kumamoto.jp
        migration.run q
        mihama.aichi.jp
        mihama.chiba.jp
        mihama.fukui.jp
        mihama.mie.jp
        mihama.wakayama.jp
        mihara.hiroshima.jp
        mihara.kochi.jp
        miharu.fukushima.jp
        miho.ibaraki.jp
        mikasa.hokkaido.jp
        mikawa.yamagata.jp
        miki.hyogo.jp
        mil
        mil.ac
        mil.ae
        mil.al
        mil.ar
        mil.az
        mil.ba
        mil.bo
        mil.br
        mil.by
        mil.cl
        mil.cn
        mil.co
        mil.cy
        mil.do
        mil.ec
        mil.eg
        mil.fj
        mil.ge
        mil.gh
        mil.gt
        mil.hn
        mil.id
        mil.in
        mil.iq
        mil.jo
        mil.kg
        mil.km
        mil.kr
        mil.kz
        mil.lv
        mil.mg
        mil.mv
        mil.my
        mil.mz
        mil.ng
        mil.ni
        mil.no
        mil.nz
        mil.pe
        mil.ph
        mil.pl
        mil.py
        mil.qa
        mil.ru p
        mil.rw
        mil.sh
        mil.st
        mil.sy
        mil.tj
        mil.tm
        mil.to
        mil.tr
        mil.tw
        mil.tz
        mil.uy
        mil.vc
        mil.ve
        mil.ye
        mil.za
        mil.zm
        mil.zw
        milan.it
        milano.it
        military.museum
        mill.museum
        mima.tokushima.jp
        mimata.miyazaki.jp
        minakami.gunma.jp
        minamata.kumamoto.jp
        minami-alps.yamanashi.jp
        minami.fukuoka.jp
        minami.kyoto.jp
        minami.tokushima.jp
        minamiaiki.nagano.jp
        minamiashigara.kanagawa.jp
        minamiawaji.hyogo.jp
        minamiboso.chiba.jp
        minamidaito.okinawa.jp
        minamiechizen.fukui.jp
        minamifurano.hokkaido.jp
        minamiise.mie.jp
        minamiizu.shizuoka.jp
        minamimaki.nagano.jp
        minamiminowa.nagano.jp
        minamioguni.kumamoto.jp
        minamisanriku.miyagi.jp
        minamitane.kagoshima.jp
        minamiuonuma.niigata.jp
        minamiyamashiro.kyoto.jp
        minano.saitama.jp
        minato.osaka.jp
        minato.tokyo.jp
        mincom.tn
        mine.nu p
        miners.museum
        mini
        mining.museum
        miniserver.com p
        minisite.ms p
        minnesota.museum
        mino.gifu.jp
        minobu.yamanashi.jp
        minoh.osaka.jp
        minokamo.gifu.jp
        minowa.nagano.jp
        mint
        mintere.site p
        mircloud.host p
        mircloud.ru p
        mircloud.us p
        misaki.okayama.jp
        misaki.osaka.jp
        misasa.tottori.jp
        misato.akita.jp
        misato.miyagi.jp
        misato.saitama.jp
        misato.shimane.jp
        misato.wakayama.jp
        misawa.aomori.jp
        misconfused.org p
        mishima.fukushima.jp
        mishima.shizuoka.jp
        missile.museum
        missoula.museum
        misugi.mie.jp
        mit
        mitaka.tokyo.jp
        mitake.gifu.jp
        mitane.akita.jp
        mito.ibaraki.jp
        mitou.yamaguchi.jp
        mitoyo.kagawa.jp
        mitsubishi
        mitsue.nara.jp
        mitsuke.niigata.jp
        miura.kanagawa.jp
        miyada.nagano.jp
        miyagi.jp
        miyake.nara.jp
        miyako.fukuoka.jp
        miyako.iwate.jp
        miyakonojo.miyazaki.jp
        miyama.fukuoka.jp
        miyama.mie.jp
        miyashiro.saitama.jp
        miyawaka.fukuoka.jp
        miyazaki.jp
        miyazaki.miyazaki.jp
        miyazu.kyoto.jp
        miyoshi.aichi.jp
        miyoshi.hiroshima.jp
        miyoshi.saitama.jp
        miyoshi.tokushima.jp
        miyota.nagano.jp
        mizuho.tokyo.jp
        mizumaki.fukuoka.jp
        mizunami.gifu.jp
        mizusawa.iwate.jp
        mjondalen.no
        mk
        mk.eu.org p
        mk.ua
        ml
        mlb
        mlbfan.org p
        mls
        mm w
        mma
        mmafan.biz p
        mn
        mn.it
        mn.us
        mo
        mo-i-rana.no
        mo-siemens.io p
        mo.cn
        mo.it
        mo.us
        moareke.no
        mobara.chiba.jp
        mobi
        mobi.gp
        mobi.ke
        mobi.na
        mobi.ng
        mobi.tt
        mobi.tz
        mobile
        mochizuki.nagano.jp
        mock.pstmn.io p
        mod.gi
        moda
        modalen.no
        modelling.aero
        modena.it
        modern.museum
        mods.jp p
        modum.no
        moe
        moi
        moka.tochigi.jp
        mol.it
        molde.no
        molise.it
        mom
        moma.museum
        mombetsu.hokkaido.jp
        monash
        mond.jp p
        money
        money.bj
        money.museum
        mongolian.jp p
        monmouth.museum
        monster
        monticello.museum
        montreal.museum
        monza-brianza.it
        monza-e-della-brianza.it
        monza.it
        monzabrianza.it
        monzaebrianza.it
        monzaedellabrianza.it
        moo.jp p
        moonscale.io q
        moonscale.net p
        mordovia.ru p
        mordovia.su p
        morena.br
        moriguchi.osaka.jp
        morimachi.shizuoka.jp
        morioka.iwate.jp
        moriya.ibaraki.jp
        moriyama.shiga.jp
        moriyoshi.akita.jp
        mormon
        morotsuka.miyazaki.jp
        moroyama.saitama.jp
        mortgage
        moscow
        moscow.museum
        moseushi.hokkaido.jp
        mosjoen.no
        moskenes.no
        moss.no
        mosvik.no
        motegi.tochigi.jp
        moto
        motobu.okinawa.jp
        motorcycle.museum
        motorcycles
        motosu.gifu.jp
        motoyama.kochi.jp
        mov
        movie
        movimiento.bo
        mozilla-iot.org p
        mp
        mp.br
        mq
        mr
        mr.no
        mragowo.pl
        ms
        ms.gov.br
        ms.it
        ms.kr
        ms.leg.br p
        ms.us
        msd
        msk.ru p
        msk.su p
        mt
        mt.eu.org p
        mt.gov.br
        mt.it
        mt.leg.br p
        mt.us
        mtn
        mtr
        mu
        muenchen.museum
        muenster.museum
        mugi.tokushima.jp
        muika.niigata.jp
        mukawa.hokkaido.jp
        muko.kyoto.jp
        mulhouse.museum
        munakata.fukuoka.jp
        muncie.museum
        muni.il
        muosat.no
        mup.gov.pl
        murakami.niigata.jp
        murata.miyagi.jp
        murayama.yamagata.jp
        murmansk.su p
        muroran.hokkaido.jp
        muroto.kochi.jp
        mus.br
        mus.mi.us
        musashimurayama.tokyo.jp
        musashino.tokyo.jp
        museet.museum
        museum
        museum.mv
        museum.mw
        museum.no
        museum.om
        museum.tt
        museumcenter.museum
        museumvereniging.museum
        music
        music.museum
        musica.ar
        musica.bo
        musician.io p
        mutsu.aomori.jp
        mutsuzawa.chiba.jp
        mutual
        mutual.ar
        mv
        mw
        mw.gov.pl
        mx
        mx.na
        my
        my-firewall.org p
        my-gateway.de p
        my-router.de p
        my-vigor.de p
        my-wan.de p
        my.eu.org p
        my.id
        myactivedirectory.com p
        myamaze.net p
        myasustor.com p
        mycd.eu p
        mycloud.by p
        mydatto.com p
        mydatto.net p
        myddns.rocks p
        mydissent.net p
        mydobiss.com p
        mydrobo.com p
        myds.me p
        myeffect.net p
        myfast.host p
        myfast.space p
        myfirewall.org p
        myforum.community p
        myfritz.net p
        myftp.biz p
        myftp.org p
        myhome-server.de p
        myiphost.com p
        myjino.ru p
        mykolaiv.ua
        mymailer.com.tw p
        mymediapc.net p
        myoko.niigata.jp
        mypep.link p
        mypets.ws p
        myphotos.cc p
        mypi.co p
        mypsx.net p
        myqnapcloud.com p
        mysecuritycamera.com p
        mysecuritycamera.net p
        mysecuritycamera.org p
        myshopblocks.com p
        myshopify.com p
        myspreadshop.at p
        myspreadshop.be p
        myspreadshop.ca p
        myspreadshop.ch p
        myspreadshop.co.uk p
        myspreadshop.com p
        myspreadshop.com.au p
        myspreadshop.de p
        myspreadshop.dk p
        myspreadshop.es p
        myspreadshop.fi p
        myspreadshop.fr p
        myspreadshop.ie p
        myspreadshop.it p
        myspreadshop.net p
        myspreadshop.nl p
        myspreadshop.no p
        myspreadshop.pl p
        myspreadshop.se p
        mytabit.co.il p
        mytabit.com p
        mytis.ru p
        mytuleap.com p
        myvnc.com p
        mywire.org p
        mz
        n.bg
        n.se
        n4t.co p
        na
        na.it
        na4u.ru p
        naamesjevuemie.no
        nab
        nabari.mie.jp
        nachikatsuura.wakayama.jp
        nagahama.shiga.jp
        nagai.yamagata.jp
        nagano.jp
        nagano.nagano.jp
        naganohara.gunma.jp
        nagaoka.niigata.jp
        nagaokakyo.kyoto.jp
        nagara.chiba.jp
        nagareyama.chiba.jp
        nagasaki.jp
        nagasaki.nagasaki.jp
        nagasu.kumamoto.jp
        nagato.yamaguchi.jp
        nagatoro.saitama.jp
        nagawa.nagano.jp
        nagi.okayama.jp
        nagiso.nagano.jp
        nago.okinawa.jp
        nagoya
        nagoya.jp w
        naha.okinawa.jp
        nahari.kochi.jp
        naie.hokkaido.jp
        naka.hiroshima.jp
        naka.ibaraki.jp
        nakadomari.aomori.jp
        nakagawa.fukuoka.jp
        nakagawa.hokkaido.jp
        nakagawa.nagano.jp
        nakagawa.tokushima.jp
        nakagusuku.okinawa.jp
        nakagyo.kyoto.jp
        nakai.kanagawa.jp
        nakama.fukuoka.jp
        nakamichi.yamanashi.jp
        nakamura.kochi.jp
        nakaniikawa.toyama.jp
        nakano.nagano.jp
        nakano.tokyo.jp
        nakanojo.gunma.jp
        nakanoto.ishikawa.jp
        nakasatsunai.hokkaido.jp
        nakatane.kagoshima.jp
        nakatombetsu.hokkaido.jp
        nakatsugawa.gifu.jp
        nakayama.yamagata.jp
        nakijin.okinawa.jp
        naklo.pl
        nalchik.ru p
        nalchik.su p
        namaste.jp p
        namdalseid.no
        name
        name.az
        name.eg
        name.et
        name.fj
        name.hr
        name.jo
        name.mk
        name.mv
        name.my
        name.na
        name.ng
        name.pm p
        name.pr
        name.qa
        name.tj
        name.tr
        name.tt
        name.vn
        namegata.ibaraki.jp
        namegawa.saitama.jp
        namerikawa.toyama.jp
        namie.fukushima.jp
        namikata.ehime.jp
        namsos.no
        namsskogan.no
        nanae.hokkaido.jp
        nanao.ishikawa.jp
        nanbu.tottori.jp
        nanbu.yamanashi.jp
        nango.fukushima.jp
        nanjo.okinawa.jp
        nankoku.kochi.jp
        nanmoku.gunma.jp
        nannestad.no
        nanporo.hokkaido.jp
        nantan.kyoto.jp
        nanto.toyama.jp
        nanyo.yamagata.jp
        naoshima.kagawa.jp
        naples.it
        napoli.it
        nara.jp
        nara.nara.jp
        narashino.chiba.jp
        narita.chiba.jp
        naroy.no
        narusawa.yamanashi.jp
        naruto.tokushima.jp
        narviika.no
        narvik.no
        nasu.tochigi.jp
        nasushiobara.tochigi.jp
        nat.tn
        natal.br
        national.museum
        nationalfirearms.museum
        nationalheritage.museum
        nativeamerican.museum
        natori.miyagi.jp
        natura
        natural.bo
        naturalhistory.museum
        naturalhistorymuseum.museum
        naturalsciences.museum
        naturbruksgymn.se
        nature.museum
        naturhistorisches.museum
        natuurwetenschappen.museum
        naumburg.museum
        naustdal.no
        naval.museum
        navigation.aero
        navoi.su p
        navuotna.no
        navy
        nayoro.hokkaido.jp
        nb.ca
        nba
        nc
        nc.tr
        nc.us
        nd.us
        ne
        ne.jp
        ne.ke
        ne.kr
        ne.pw
        ne.tz
        ne.ug
        ne.us
        neat-url.com p
        nebraska.museum
        nec
        nedre-eiker.no
        neko.am p
        nemuro.hokkaido.jp
        nerdpol.ovh p
        nerima.tokyo.jp
        nes.akershus.no
        nes.buskerud.no
        nesna.no
        nesodden.no
        nesoddtangen.no
        nesseby.no
        nesset.no
        net
        net-freaks.com p
        net.ac
        net.ae
        net.af
        net.ag
        net.ai
        net.al
        net.am
        net.ar
        net.au
        net.az
        net.ba
        net.bb
        net.bh
        net.bj
        net.bm
        net.bn
        net.bo
        net.br
        net.bs
        net.bt
        net.bz
        net.ci
        net.cm
        net.cn
        net.co
        net.cu
        net.cw
        net.cy
        net.dm
        net.do
        net.dz
        net.ec
        net.eg
        net.et
        net.eu.org p
        net.fj
        net.fm
        net.ge
        net.gg
        net.gl
        net.gn
        net.gp
        net.gr
        net.gt
        net.gu
        net.gy
        net.hk
        net.hn
        net.ht
        net.id
        net.il
        net.im
        net.in
        net.iq
        net.ir
        net.is
        net.je
        net.jo
        net.kg
        net.ki
        net.kn
        net.kw
        net.ky
        net.kz
        net.la
        net.lb
        net.lc
        net.lk
        net.lr
        net.ls
        net.lv
        net.ly
        net.ma
        net.me
        net.mk
        net.ml
        net.mo
        net.ms
        net.mt
        net.mu
        net.mv
        net.mw
        net.mx
        net.my
        net.mz
        net.nf
        net.ng
        net.ni
        net.nr
        net.nz
        net.om
        net.pa
        net.pe
        net.ph
        net.pk
        net.pl
        net.pn
        net.pr
        net.ps
        net.pt
        net.py
        net.qa
        net.ru p
        net.rw
        net.sa
        net.sb
        net.sc
        net.sd
        net.sg
        net.sh
        net.sl
        net.so
        net.ss
        net.st
        net.sy
        net.th
        net.tj
        net.tm
        net.tn
        net.to
        net.tr
        net.tt
        net.tw
        net.ua
        net.uk
        net.uy
        net.uz
        net.vc
        net.ve
        net.vi
        net.vn
        net.vu
        net.ws
        net.ye
        net.za
        net.zm
        netbank
        netflix
        netlify.app p
        network
        neues.museum
        neustar
        new
        newhampshire.museum
        newjersey.museum
        newmexico.museum
        newport.museum
        news
        news.hu
        newspaper.museum
        newyork.museum
        next
        nextdirect
        nexus
        neyagawa.osaka.jp
        nf
        nf.ca
        nfl
        nflfan.org p
        nfshost.com p
        ng
        ng.eu.org p
        ngo
        ngo.lk
        ngo.ng p
        ngo.ph
        ngo.za
        ngrok.io p
        nh-serv.co.uk p
        nh.us
        nhk
        nhlfan.net p
        nhs.uk
        ni
        nic.in
        nic.tj
        nic.za
        nichinan.miyazaki.jp
        nichinan.tottori.jp
        nico
        nid.io p
        niepce.museum
        nieruchomosci.pl
        niigata.jp
        niigata.niigata.jp
        niihama.ehime.jp
        niikappu.hokkaido.jp
        niimi.okayama.jp
        niiza.saitama.jp
        nikaho.akita.jp
        nike
        niki.hokkaido.jp
        nikita.jp p
        nikko.tochigi.jp
        nikolaev.ua
        nikon
        ninja
        ninohe.iwate.jp
        ninomiya.kanagawa.jp
        nirasaki.yamanashi.jp
        nis.za
        nishi.fukuoka.jp
        nishi.osaka.jp
        nishiaizu.fukushima.jp
        nishiarita.saga.jp
        nishiawakura.okayama.jp
        nishiazai.shiga.jp
        nishigo.fukushima.jp
        nishihara.kumamoto.jp
        nishihara.okinawa.jp
        nishiizu.shizuoka.jp
        nishikata.tochigi.jp
        nishikatsura.yamanashi.jp
        nishikawa.yamagata.jp
        nishimera.miyazaki.jp
        nishinomiya.hyogo.jp
        nishinoomote.kagoshima.jp
        nishinoshima.shimane.jp
        nishio.aichi.jp
        nishiokoppe.hokkaido.jp
        nishitosa.kochi.jp
        nishiwaki.hyogo.jp
        nissan
        nissay
        nissedal.no
        nisshin.aichi.jp
        niteroi.br
        nittedal.no
        niyodogawa.kochi.jp
        nj.us
        njs.jelastic.vps-host.net p
        nl
        nl-ams-1.baremetal.scw.cloud p
        nl.ca
        nl.ci p
        nl.eu.org p
        nl.no
        nm.cn
        nm.us
        no
        no-ip.biz p
        no-ip.ca p
        no-ip.co.uk p
        no-ip.info p
        no-ip.net p
        no-ip.org p
        no.com p
        no.eu.org p
        no.it
        nobeoka.miyazaki.jp
        noboribetsu.hokkaido.jp
        nobushi.jp p
        noda.chiba.jp
        noda.iwate.jp
        nodebalancer.linode.com q
        nodes.k8s.fr-par.scw.cloud p
        nodes.k8s.nl-ams.scw.cloud p
        nodes.k8s.pl-waw.scw.cloud p
        nog.community p
        nogata.fukuoka.jp
        nogi.tochigi.jp
        noheji.aomori.jp
        noho.st p
        nohost.me p
        noip.me p
        noip.us p
        nokia
        nom.ad
        nom.ag
        nom.br w
        nom.co
        nom.es
        nom.fr
        nom.km
        nom.mg
        nom.nc
        nom.ni
        nom.pa
        nom.pe
        nom.pl
        nom.re
        nom.ro
        nom.tm
        nom.ve
        nom.za
        nombre.bo
        nome.cv
        nome.pt
        nomi.ishikawa.jp
        nonoichi.ishikawa.jp
        noop.app p
        noor.jp p
        nord-aurdal.no
        nord-fron.no
        nord-odal.no
        norddal.no
        nordeste-idc.saveincloud.net p
        nordkapp.no
        nordre-land.no
        nordreisa.no
        nore-og-uvdal.no
        norfolk.museum
        north-kazakhstan.su p
        north.museum
        northflank.app q
        northwesternmutual
        norton
        nose.osaka.jp
        nosegawa.nara.jp
        noshiro.akita.jp
        not.br
        notaires.fr
        notaires.km
        noticeable.news p
        noticias.bo
        noto.ishikawa.jp
        notodden.no
        notogawa.shiga.jp
        notteroy.no
        nov.ru p
        nov.su p
        novara.it
        novecore.site p
        now
        now-dns.net p
        now-dns.org p
        now-dns.top p
        now.sh p
        nowaruda.pl
        nowruz
        nowtv
        nozawaonsen.nagano.jp
        np w
        nr
        nra
        nrw
        nrw.museum
        ns.ca
        nsn.us
        nsupdate.info p
        nsw.au
        nsw.edu.au
        nt.au
        nt.ca
        nt.edu.au
        nt.no
        nt.ro
        ntdll.top p
        ntr.br
        ntt
        nu
        nu.ca
        nu.it
        numata.gunma.jp
        numata.hokkaido.jp
        numazu.shizuoka.jp
        nuoro.it
        nv.us
        nx.cn
        ny-1.paas.massivegrid.net p
        ny-2.paas.massivegrid.net p
        ny.us
        nyaa.am p
        nyan.to p
        nyc
        nyc.mn p
        nyc.museum
        nyny.museum
        nysa.pl
        nyuzen.toyama.jp
        nz
        nz.basketball p
        nz.eu.org p
        o.bg
        o.se
        oamishirasato.chiba.jp
        oarai.ibaraki.jp
        obama.fukui.jp
        obama.nagasaki.jp
        obanazawa.yamagata.jp
        obi
        obihiro.hokkaido.jp
        obira.hokkaido.jp
        obninsk.su p
        observer
        obu.aichi.jp
        obuse.nagano.jp
        oceanographic.museum
        oceanographique.museum
        ocelot.mythic-beasts.com p
        ochi.kochi.jp
        oci.customer-oci.com q
        ocp.customer-oci.com q
        ocs.customer-oci.com q
        od.ua
        odate.akita.jp
        odawara.kanagawa.jp
        odda.no
        odesa.ua
        odessa.ua
        odo.br
        oe.yamagata.jp
        of.by
        of.je p
        of.no
        off.ai
        office
        office-on-the.net p
        official.academy p
        official.ec p
        ofunato.iwate.jp
        og.ao
        og.it
        oga.akita.jp
        ogaki.gifu.jp
        ogano.saitama.jp
        ogasawara.tokyo.jp
        ogata.akita.jp
        ogawa.ibaraki.jp
        ogawa.nagano.jp
        ogawa.saitama.jp
        ogawara.miyagi.jp
        ogi.saga.jp
        ogimi.okinawa.jp
        ogliastra.it
        ogori.fukuoka.jp
        ogose.saitama.jp
        oguchi.aichi.jp
        oguni.kumamoto.jp
        oguni.yamagata.jp
        oh.us
        oharu.aichi.jp
        ohda.shimane.jp
        ohi.fukui.jp
        ohira.miyagi.jp
        ohira.tochigi.jp
        ohkura.yamagata.jp
        ohtawara.tochigi.jp
        oi.kanagawa.jp
        oirase.aomori.jp
        oirm.gov.pl
        oishida.yamagata.jp
        oiso.kanagawa.jp
        oita.jp
        oita.oita.jp
        oizumi.gunma.jp
        oji.nara.jp
        ojiya.niigata.jp
        ok.us
        okagaki.fukuoka.jp
        okawa.fukuoka.jp
        okawa.kochi.jp
        okaya.nagano.jp
        okayama.jp
        okayama.okayama.jp
        okazaki.aichi.jp
        okegawa.saitama.jp
        oketo.hokkaido.jp
        oki.fukuoka.jp
        okinawa
        okinawa.jp
        okinawa.okinawa.jp
        okinoshima.shimane.jp
        okoppe.hokkaido.jp
        oksnes.no
        okuizumo.shimane.jp
        okuma.fukushima.jp
        okutama.tokyo.jp
        ol.no
        olawa.pl
        olayan
        olayangroup
        olbia-tempio.it
        olbiatempio.it
        oldnavy
        olecko.pl
        olkusz.pl
        ollo
        olsztyn.pl
        om
        omachi.nagano.jp
        omachi.saga.jp
        omaezaki.shizuoka.jp
        omaha.museum
        omasvuotna.no
        ome.tokyo.jp
        omega
        omg.lol p
        omi.nagano.jp
        omi.niigata.jp
        omigawa.chiba.jp
        omihachiman.shiga.jp
        omitama.ibaraki.jp
        omiya.saitama.jp
        omniwe.site p
        omotego.fukushima.jp
        omura.nagasaki.jp
        omuta.fukuoka.jp
        on-acorn.io q
        on-aptible.com p
        on-k3s.io q
        on-rancher.cloud q
        on-rio.io q
        on-the-web.tv p
        on-web.fr p
        on.ca
        onagawa.miyagi.jp
        onavstack.net p
        oncilla.mythic-beasts.com p
        ondigitalocean.app p
        one
        onfabrica.com p
        onflashdrive.app p
        ong
        ong.br
        onga.fukuoka.jp
        onion
        onjuku.chiba.jp
        onl
        online
        online.museum
        online.th p
        onna.okinawa.jp
        ono.fukui.jp
        ono.fukushima.jp
        ono.hyogo.jp
        onojo.fukuoka.jp
        onomichi.hiroshima.jp
        onporter.run p
        onred.one p
        onrender.com p
        ontario.museum
        onthewifi.com p
        onza.mythic-beasts.com p
        ooguy.com p
        ookuwa.nagano.jp
        ooo
        oops.jp p
        ooshika.nagano.jp
        open
        openair.museum
        opencraft.hosting p
        opensocial.site p
        operaunite.com p
        opoczno.pl
        opole.pl
        oppdal.no
        oppegard.no
        or.at
        or.bi
        or.ci
        or.cr
        or.id
        or.it
        or.jp
        or.ke
        or.kr
        or.mu
        or.na
        or.pw
        or.th
        or.tz
        or.ug
        or.us
        ora.gunma.jp
        oracle
        orange
        orangecloud.tn p
        oregon.museum
        oregontrail.museum
        org
        org.ac
        org.ae
        org.af
        org.ag
        org.ai
        org.al
        org.am
        org.ar
        org.au
        org.az
        org.ba
        org.bb
        org.bh
        org.bi
        org.bj
        org.bm
        org.bn
        org.bo
        org.br
        org.bs
        org.bt
        org.bw
        org.bz
        org.ci
        org.cn
        org.co
        org.cu
        org.cv
        org.cw
        org.cy
        org.dm
        org.do
        org.dz
        org.ec
        org.ee
        org.eg
        org.es
        org.et
        org.fj
        org.fm
        org.ge
        org.gg
        org.gh
        org.gi
        org.gl
        org.gn
        org.gp
        org.gr
        org.gt
        org.gu
        org.gy
        org.hk
        org.hn
        org.ht
        org.hu
        org.il
        org.im
        org.in
        org.iq
        org.ir
        org.is
        org.je
        org.jo
        org.kg
        org.ki
        org.km
        org.kn
        org.kp
        org.kw
        org.ky
        org.kz
        org.la
        org.lb
        org.lc
        org.lk
        org.lr
        org.ls
        org.lv
        org.ly
        org.ma
        org.me
        org.mg
        org.mk
        org.ml
        org.mn
        org.mo
        org.ms
        org.mt
        org.mu
        org.mv
        org.mw
        org.mx
        org.my
        org.mz
        org.na
        org.ng
        org.ni
        org.nr
        org.nz
        org.om
        org.pa
        org.pe
        org.pf
        org.ph
        org.pk
        org.pl
        org.pn
        org.pr
        org.ps
        org.pt
        org.py
        org.qa
        org.ro
        org.rs
        org.ru p
        org.rw
        org.sa
        org.sb
        org.sc
        org.sd
        org.se
        org.sg
        org.sh
        org.sl
        org.sn
        org.so
        org.ss
        org.st
        org.sv
        org.sy
        org.sz
        org.tj
        org.tm
        org.tn
        org.to
        org.tr
        org.tt
        org.tw
        org.ua
        org.ug
        org.uk
        org.uy
        org.uz
        org.vc
        org.ve
        org.vi
        org.vn
        org.vu
        org.ws
        org.ye
        org.yt p
        org.za
        org.zm
        org.zw
        organic
        origins
        oristano.it
        orkanger.no
        orkdal.no
        orland.no
        orsites.com p
        orskog.no
        orsta.no
        orx.biz p
        os.hedmark.no
        os.hordaland.no
        osaka
        osaka.jp
        osakasayama.osaka.jp
        osaki.miyagi.jp
        osakikamijima.hiroshima.jp
        osasco.br
        osen.no
        oseto.nagasaki.jp
        oshima.tokyo.jp
        oshima.yamaguchi.jp
        oshino.yamanashi.jp
        oshu.iwate.jp
        oslo.no
        osoyro.no
        osteroy.no
        ostre-toten.no
        ostroda.pl
        ostroleka.pl
        ostrowiec.pl
        ostrowwlkp.pl
        ot.it
        ota.gunma.jp
        ota.tokyo.jp
        otago.museum
        otake.hiroshima.jp
        otaki.chiba.jp
        otaki.nagano.jp
        otaki.saitama.jp
        otama.fukushima.jp
        otap.co q
        otari.nagano.jp
        otaru.hokkaido.jp
        ote.bj
        other.nf
        oto.fukuoka.jp
        otobe.hokkaido.jp
        otofuke.hokkaido.jp
        otoineppu.hokkaido.jp
        otoyo.kochi.jp
        otsu.shiga.jp
        otsuchi.iwate.jp
        otsuka
        otsuki.kochi.jp
        otsuki.yamanashi.jp
        ott
        ouchi.saga.jp
        ouda.nara.jp
        oum.gov.pl
        oumu.hokkaido.jp
        outsystemscloud.com p
        overhalla.no
        ovh
        ovre-eiker.no
        owani.aomori.jp
        owariasahi.aichi.jp
        own.pm p
        ownip.net p
        ownprovider.com p
        owo.codes q
        ox.rs p
        oxa.cloud p
        oxford.museum
        oy.lc p
        oya.to p
        oyabe.toyama.jp
        oyama.tochigi.jp
        oyamazaki.kyoto.jp
        oyer.no
        oygarden.no
        oyodo.nara.jp
        oystre-slidre.no
        oz.au
        ozora.hokkaido.jp
        ozu.ehime.jp
        ozu.kumamoto.jp
        p.bg
        p.se
        pa
        pa.gov.br
        pa.gov.pl
        pa.it
        pa.leg.br p
        pa.us
        paas.beebyte.io p
        paas.datacenter.fi p
        paas.hosted-by-previder.com p
        paas.massivegrid.com p
        pacific.museum
        paderborn.museum
        padova.it
        padua.it
        page
        pagefrontapp.com p
        pages.dev p
        pages.it.hs-heilbronn.de p
        pages.torproject.net p
        pages.wiardweb.com p
        pagespeedmobilizer.com p
        pagexl.com p
        palace.museum
        paleo.museum
        palermo.it
        palmas.br
        palmsprings.museum
        panama.museum
        panasonic
        panel.gg p
        pantheonsite.io p
        parachuting.aero
        paragliding.aero
        parallel.jp p
        parasite.jp p
        paris
        paris.eu.org p
        paris.museum
        parliament.nz
        parma.it
        paroch.k12.ma.us
        pars
        parti.se
        partners
        parts
        party
        pasadena.museum
        passagens
        passenger-association.aero
        patria.bo
        pavia.it
        pay
        paywhirl.com q
        pb.ao
        pb.gov.br
        pb.leg.br p
        pc.it
        pc.pl
        pccw
        pcloud.host p
        pd.it
        pdns.page p
        pe
        pe.ca
        pe.gov.br
        pe.it
        pe.kr
        pe.leg.br p
        pecori.jp p
        peewee.jp p
        penne.jp p
        penza.su p
        pepper.jp p
        per.la
        per.nf
        per.sg
        perma.jp p
        perso.ht
        perso.sn
        perso.tn
        perspecta.cloud p
        perugia.it
        pesaro-urbino.it
        pesarourbino.it
        pescara.it
        pet
        pf
        pfizer
        pg w
        pg.in
        pg.it
        pgafan.net p
        pgfog.com p
        ph
        pharmacien.fr
        pharmaciens.km
        pharmacy
        pharmacy.museum
        phd
        philadelphia.museum
        philadelphiaarea.museum
        philately.museum
        philips
        phoenix.museum
        phone
        photo
        photography
        photography.museum
        photos
        phx.enscaled.us p
        physio
        pi.gov.br
        pi.it
        pi.leg.br p
        piacenza.it
        pics
        pictet
        pictures
        pid
        piedmont.it
        piemonte.it
        pigboat.jp p
        pila.pl
        pilot.aero
        pilots.museum
        pimienta.org p
        pin
        pinb.gov.pl
        ping
        pink
        pinoko.jp p
        pioneer
        pippu.hokkaido.jp
        pisa.it
        pistoia.it
        pisz.pl
        pittsburgh.museum
        piw.gov.pl
        pixolino.com p
        pizza
        pk
        pl
        pl.eu.org p
        pl.ua
        place
        planetarium.museum
        plantation.museum
        plants.museum
        platform0.app p
        platformsh.site q
        platter-app.com p
        platter-app.dev p
        platterp.us p
        play
        playstation
        playstation-cloud.com p
        plaza.museum
        plc.co.im
        plc.ly
        plc.uk
        plesk.page p
        pleskns.com p
        plo.ps
        plumbing
        plurinacional.bo
        plus
        pm
        pmn.it
        pn
        pn.it
        pnc
        po.gov.pl
        po.it
        poa.br
        podhale.pl
        podlasie.pl
        podzone.net p
        podzone.org p
        pohl
        point2this.com p
        pointto.us p
        poivron.org p
        poker
        pokrovsk.su p
        pol.dz
        pol.ht
        pol.tr
        police.uk
        politica.bo
        politie
        polkowice.pl
        poltava.ua
        pomorskie.pl
        pomorze.pl
        poniatowa.pl p
        ponpes.id
        pordenone.it
        porn
        porsanger.no
        porsangu.no
        porsgrunn.no
        port.fr
        portal.museum
        portland.museum
        portlligat.museum
        post
        post.in
        postman-echo.com p
        posts-and-telecommunications.museum
        potager.org p
        potenza.it
        powiat.pl
        poznan.pl p
        pp.az
        pp.ru p
        pp.se
        pp.ua p
        ppg.br
        pr
        pr.gov.br
        pr.it
        pr.leg.br p
        pr.us
        pramerica
        prato.it
        praxi
        prd.fr
        prd.km
        prd.mg
        prequalifyme.today p
        preservation.museum
        presidio.museum
        press
        press.aero
        press.cy
        press.ma
        press.museum
        press.se
        presse.ci
        presse.km
        presse.ml
        pri.ee
        prime
        primetel.cloud p
        principe.st
        priv.at p
        priv.hu
        priv.instances.scw.cloud p
        priv.me
        priv.no
        priv.pl
        privatelink.snowflake.app p
        privatizehealthinsurance.net p
        pro
        pro.az
        pro.br
        pro.cy
        pro.ec
        pro.fj
        pro.ht
        pro.in
        pro.mv
        pro.na
        pro.om
        pro.pr
        pro.tt
        pro.typeform.com p
        pro.vn
        prochowice.pl
        prod
        production.aero
        productions
        prof
        prof.pr
        profesional.bo
        progressive
        project.museum
        promo
        properties
        property
        protection
        protonet.io p
        pru
        prudential
        pruszkow.pl
        prvcy.page p
        przeworsk.pl
        ps
        psc.br
        psi.br
        psp.gov.pl
        psse.gov.pl
        pstmn.io p
        pt
        pt.eu.org p
        pt.it
        pu.it
        pub
        pub.instances.scw.cloud p
        pub.sa
        publ.pt
        public-inquiry.uk p
        public.museum
        publishproxy.com p
        pubol.museum
        pubtls.org p
        pueblo.bo
        pug.it
        puglia.it
        pulawy.pl
        punyu.jp p
        pup.gov.pl
        pupu.jp p
        pussycat.jp p
        pv.it
        pvh.br
        pvt.ge
        pvt.k12.ma.us
        pw
        pwc
        py
        pya.jp p
        pyatigorsk.ru p
        pymnt.uk p
        pythonanywhere.com p
        pz.it
        q-a.eu.org p
        q.bg
        qa
        qa2.com p
        qbuser.com p
        qc.ca
        qc.com p
        qcx.io p
        qh.cn
        qld.au
        qld.edu.au
        qld.gov.au
        qoto.io p
        qpon
        qsl.br
        qualifioapp.com p
        quebec
        quebec.museum
        quest
        quicksytes.com p
        quipelements.com q
        r.appspot.com q
        r.bg
        r.cdn77.net p
        r.se
        r2.dev p
        ra.it
        racing
        rackmaze.com p
        rackmaze.net p
        rade.no
        radio
        radio.am p
        radio.br
        radio.fm p
        radom.pl
        radoy.no
        raffleentry.org.uk p
        rag-cloud-ch.hosteur.com p
        rag-cloud.hosteur.com p
        ragusa.it
        rahkkeravju.no
        raholt.no
        railroad.museum
        railway.museum
        raindrop.jp p
        raisa.no
        rakkestad.no
        ralingen.no
        rana.no
        randaberg.no
        rankoshi.hokkaido.jp
        ranzan.saitama.jp
        rar.ve
        ras.ru p
        rauma.no
        ravendb.cloud p
        ravendb.community p
        ravendb.me p
        ravendb.run p
        ravenna.it
        ravpage.co.il p
        rawa-maz.pl
        rc.it
        rdv.to p
        re
        re.it
        re.kr
        read
        read-books.org p
        readmyblog.org p
        readthedocs.io p
        readymade.jp p
        realestate
        realestate.pl
        realm.cz p
        realtor
        realty
        rebun.hokkaido.jp
        rec.br
        rec.co
        rec.nf
        rec.ro
        rec.ve
        recht.pro
        recife.br
        recipes
        recreation.aero
        red
        red.sv
        redirectme.net p
        redstone
        redumbrella
        reg.dk p
        reggio-calabria.it
        reggio-emilia.it
        reggiocalabria.it
        reggioemilia.it
        rehab
        reise
        reisen
        reit
        reklam.hu
        rel.ht
        rel.pl
        reliance
        remotewd.com p
        ren
        rendalen.no
        rennebu.no
        rennesoy.no
        rent
        rentals
        rep.br
        rep.kp
        repair
        repbody.aero
        repl.co p
        repl.run p
        report
        republican
        res.aero
        res.in
        research.aero
        research.museum
        reservd.com p
        reservd.dev.thingdust.io p
        reservd.disrec.thingdust.io p
        reservd.testing.thingdust.io p
        reserve-online.com p
        reserve-online.net p
        resindevice.io p
        resistance.museum
        rest
        restaurant
        restaurant.bj
        resto.bj
        review
        reviews
        revista.bo
        rexroth
        rg.it
        rhcloud.com p
        ri.it
        ri.us
        ribeirao.br
        ric.jelastic.vps-host.net p
        rich
        richardli
        ricoh
        rieti.it
        rifu.miyagi.jp
        riik.ee
        rikubetsu.hokkaido.jp
        rikuzentakata.iwate.jp
        ril
        rimini.it
        rindal.no
        ringebu.no
        ringerike.no
        ringsaker.no
        rio
        rio.br
        riobranco.br
        riodejaneiro.museum
        riopreto.br
        rip
        rishiri.hokkaido.jp
        rishirifuji.hokkaido.jp
        risor.no
        rissa.no
        ritto.shiga.jp
        rivne.ua
        rj.gov.br
        rj.leg.br p
        rl.no
        rm.it
        rn.gov.br
        rn.it
        rn.leg.br p
        ro
        ro.eu.org p
        ro.gov.br
        ro.im p
        ro.it
        ro.leg.br p
        roan.no
        rocher
        rochester.museum
        rockart.museum
        rocks
        rocky.page p
        rodeo
        rodoy.no
        rogers
        rokunohe.aomori.jp
        rollag.no
        roma.it
        roma.museum
        rome.it
        romsa.no
        romskog.no
        room
        roros.no
        rost.no
        rotorcraft.aero
        router.management p
        rovigo.it
        rovno.ua
        royal-commission.uk p
        royken.no
        royrvik.no
        rr.gov.br
        rr.leg.br p
        rs
        rs.ba p
        rs.gov.br
        rs.leg.br p
        rsc.cdn77.org p
        rss.my.id q
        rsvp
        ru
        ru.com p
        ru.eu.org p
        ru.net p
        rugby
        ruhr
        run
        run.app p
        ruovat.no
        russia.museum
        rv.ua
        rw
        rwe
        rybnik.pl
        ryd.wafaicloud.com p
        rygge.no
        ryokami.saitama.jp
        ryugasaki.ibaraki.jp
        ryukyu
        ryuoh.shiga.jp
        rzeszow.pl
        rzgw.gov.pl
        s.bg
        s.se
        s3-ap-northeast-1.amazonaws.com p
        s3-ap-northeast-2.amazonaws.com p
        s3-ap-south-1.amazonaws.com p
        s3-ap-southeast-1.amazonaws.com p
        s3-ap-southeast-2.amazonaws.com p
        s3-ca-central-1.amazonaws.com p
        s3-eu-central-1.amazonaws.com p
        s3-eu-west-1.amazonaws.com p
        s3-eu-west-2.amazonaws.com p
        s3-eu-west-3.amazonaws.com p
        s3-external-1.amazonaws.com p
        s3-fips-us-gov-west-1.amazonaws.com p
        s3-sa-east-1.amazonaws.com p
        s3-us-east-2.amazonaws.com p
        s3-us-gov-west-1.amazonaws.com p
        s3-us-west-1.amazonaws.com p
        s3-us-west-2.amazonaws.com p
        s3-website-ap-northeast-1.amazonaws.com p
        s3-website-ap-southeast-1.amazonaws.com p
        s3-website-ap-southeast-2.amazonaws.com p
        s3-website-eu-west-1.amazonaws.com p
        s3-website-sa-east-1.amazonaws.com p
        s3-website-us-east-1.amazonaws.com p
        s3-website-us-west-1.amazonaws.com p
        s3-website-us-west-2.amazonaws.com p
        s3-website.ap-northeast-2.amazonaws.com p
        s3-website.ap-south-1.amazonaws.com p
        s3-website.ca-central-1.amazonaws.com p
        s3-website.eu-central-1.amazonaws.com p
        s3-website.eu-west-2.amazonaws.com p
        s3-website.eu-west-3.amazonaws.com p
        s3-website.fr-par.scw.cloud p
        s3-website.nl-ams.scw.cloud p
        s3-website.pl-waw.scw.cloud p
        s3-website.us-east-2.amazonaws.com p
        s3.amazonaws.com p
        s3.ap-northeast-2.amazonaws.com p
        s3.ap-south-1.amazonaws.com p
        s3.ca-central-1.amazonaws.com p
        s3.cn-north-1.amazonaws.com.cn p
        s3.dualstack.ap-northeast-1.amazonaws.com p
        s3.dualstack.ap-northeast-2.amazonaws.com p
        s3.dualstack.ap-south-1.amazonaws.com p
        s3.dualstack.ap-southeast-1.amazonaws.com p
        s3.dualstack.ap-southeast-2.amazonaws.com p
        s3.dualstack.ca-central-1.amazonaws.com p
        s3.dualstack.eu-central-1.amazonaws.com p
        s3.dualstack.eu-west-1.amazonaws.com p
        s3.dualstack.eu-west-2.amazonaws.com p
        s3.dualstack.eu-west-3.amazonaws.com p
        s3.dualstack.sa-east-1.amazonaws.com p
        s3.dualstack.us-east-1.amazonaws.com p
        s3.dualstack.us-east-2.amazonaws.com p
        s3.eu-central-1.amazonaws.com p
        s3.eu-west-2.amazonaws.com p
        s3.eu-west-3.amazonaws.com p
        s3.fr-par.scw.cloud p
        s3.nl-ams.scw.cloud p
        s3.pl-waw.scw.cloud p
        s3.teckids.org p
        s3.us-east-2.amazonaws.com p
        s5y.io q
        sa
        sa-east-1.elasticbeanstalk.com p
        sa.au
        sa.com p
        sa.cr
        sa.edu.au
        sa.gov.au
        sa.gov.pl
        sa.it
        saarland
        sabae.fukui.jp
        sadist.jp p
        sado.niigata.jp
        safe
        safety
        safety.aero
        saga.jp
        saga.saga.jp
        sagae.yamagata.jp
        sagamihara.kanagawa.jp
        saigawa.fukuoka.jp
        saijo.ehime.jp
        saikai.nagasaki.jp
        saiki.oita.jp
        saintlouis.museum
        saitama.jp
        saitama.saitama.jp
        saito.miyazaki.jp
        saka.hiroshima.jp
        sakado.saitama.jp
        sakae.chiba.jp
        sakae.nagano.jp
        sakahogi.gifu.jp
        sakai.fukui.jp
        sakai.ibaraki.jp
        sakai.osaka.jp
        sakaiminato.tottori.jp
        sakaki.nagano.jp
        sakata.yamagata.jp
        sakawa.kochi.jp
        sakegawa.yamagata.jp
        saku.nagano.jp
        sakuho.nagano.jp
        sakura
        sakura.chiba.jp
        sakura.tochigi.jp
        sakuragawa.ibaraki.jp
        sakurai.nara.jp
        sakyo.kyoto.jp
        salangen.no
        salat.no
        sale
        salem.museum
        salerno.it
        salon
        saltdal.no
        salud.bo
        salvador.br
        salvadordali.museum
        salzburg.museum
        samegawa.fukushima.jp
        samnanger.no
        sampa.br
        samsclub
        samsung
        samukawa.kanagawa.jp
        sanagochi.tokushima.jp
        sanda.hyogo.jp
        sandcats.io p
        sande.more-og-romsdal.no
        sande.vestfold.no
        sande.xn--mre-og-romsdal-qqb.no
        sandefjord.no
        sandiego.museum
        sandnes.no
        sandnessjoen.no
        sandoy.no
        sandvik
        sandvikcoromant
        sanfrancisco.museum
        sango.nara.jp
        sanjo.niigata.jp
        sannan.hyogo.jp
        sannohe.aomori.jp
        sano.tochigi.jp
        sanofi
        sanok.pl
        santabarbara.museum
        santacruz.museum
        santafe.museum
        santamaria.br
        santoandre.br
        sanuki.kagawa.jp
        saobernardo.br
        saogonca.br
        saotome.st
        sap
        sapporo.jp w
        sar.it
        sardegna.it
        sardinia.it
        sarl
        saroma.hokkaido.jp
        sarpsborg.no
        sarufutsu.hokkaido.jp
        sas
        sasaguri.fukuoka.jp
        sasayama.hyogo.jp
        sasebo.nagasaki.jp
        saskatchewan.museum
        sassari.it
        satosho.okayama.jp
        satsumasendai.kagoshima.jp
        satte.saitama.jp
        satx.museum
        sauda.no
        sauherad.no
        savannahga.museum
        save
        saves-the-whales.com p
        savona.it
        saxo
        sayama.osaka.jp
        sayama.saitama.jp
        sayo.hyogo.jp
        sb
        sb.ua
        sbi
        sbs
        sc
        sc.cn
        sc.gov.br
        sc.ke
        sc.kr
        sc.leg.br p
        sc.ls
        sc.tz
        sc.ug
        sc.us
        sca
        scalebook.scw.cloud p
        scb
        sch.ae
        sch.id
        sch.ir
        sch.jo
        sch.lk
        sch.ly
        sch.ng
        sch.qa
        sch.sa
        sch.so p
        sch.ss
        sch.tf p
        sch.uk w
        sch.wf p
        sch.zm
        schaeffler
        schlesisches.museum
        schmidt
        schoenbrunn.museum
        schokokeks.net p
        schokoladen.museum
        scholarships
        school
        school.museum
        school.na
        school.nz
        school.za
        schoolbus.jp p
        schools.nsw.edu.au
        schule
        schulplattform.de p
        schulserver.de p
        schwarz
        schweiz.museum
        sci.eg
        science
        science-fiction.museum
        science.museum
        scienceandhistory.museum
        scienceandindustry.museum
        sciencecenter.museum
        sciencecenters.museum
        sciencehistory.museum
        sciences.museum
        sciencesnaturelles.museum
        scientist.aero
        scot
        scotland.museum
        scrapper-site.net p
        scrapping.cc p
        scrysec.com p
        sd
        sd.cn
        sd.us
        sdn.gov.pl
        sdscloud.pl p
        se
        se.eu.org p
        se.gov.br
        se.leg.br p
        se.net p
        seaport.museum
        search
        seat
        sebastopol.ua
        sec.ps
        secaas.hk p
        secret.jp p
        secure
        security
        securitytactics.com p
        seek
        seg.br
        seidat.net p
        seihi.nagasaki.jp
        seika.kyoto.jp
        seiro.niigata.jp
        seirou.niigata.jp
        seiyo.ehime.jp
        sejny.pl
        sekd1.beebyteapp.io p
        seki.gifu.jp
        sekigahara.gifu.jp
        sekikawa.niigata.jp
        sel.no
        selbu.no
        select
        selfip.biz p
        selfip.com p
        selfip.info p
        selfip.net p
        selfip.org p
        selje.no
        seljord.no
        sellfy.store p
        sells-for-less.com p
        sells-for-u.com p
        sells-it.net p
        sellsyourhome.org p
        semboku.akita.jp
        semine.miyagi.jp
        senasa.ar
        sendai.jp w
        sener
        sennan.osaka.jp
        senseering.net p
        sensiosite.cloud q
        seoul.kr
        sera.hiroshima.jp
        seranishi.hiroshima.jp
        servebbs.com p
        servebbs.net p
        servebbs.org p
        servebeer.com p
        serveblog.net p
        servecounterstrike.com p
        serveexchange.com p
        serveftp.com p
        serveftp.net p
        serveftp.org p
        servegame.com p
        servegame.org p
        servehalflife.com p
        servehttp.com p
        servehumour.com p
        serveirc.com p
        serveminecraft.net p
        servemp3.com p
        servep2p.com p
        servepics.com p
        servequake.com p
        servers.run p
        servesarcasm.com p
        service.gov.scot p
        service.gov.uk p
        service.one p
        services
        services.aero
        setagaya.tokyo.jp
        seto.aichi.jp
        setouchi.okayama.jp
        settlement.museum
        settlers.museum
        settsu.osaka.jp
        sevastopol.ua
        seven
        sew
        sex
        sex.hu
        sex.pl
        sexy
        sf.no
        sfr
        sg
        sg-1.paas.massivegrid.net p
        sh
        sh.cn
        shacknet.nu p
        shakotan.hokkaido.jp
        shangrila
        shari.hokkaido.jp
        sharp
        shaw
        shell
        shell.museum
        sherbrooke.museum
        shia
        shibata.miyagi.jp
        shibata.niigata.jp
        shibecha.hokkaido.jp
        shibetsu.hokkaido.jp
        shibukawa.gunma.jp
        shibuya.tokyo.jp
        shichikashuku.miyagi.jp
        shichinohe.aomori.jp
        shiftcrypto.dev p
        shiftcrypto.io p
        shiftedit.io p
        shiga.jp
        shiiba.miyazaki.jp
        shijonawate.osaka.jp
        shika.ishikawa.jp
        shikabe.hokkaido.jp
        shikama.miyagi.jp
        shikaoi.hokkaido.jp
        shikatsu.aichi.jp
        shiki.saitama.jp
        shikokuchuo.ehime.jp
        shiksha
        shima.mie.jp
        shimabara.nagasaki.jp
        shimada.shizuoka.jp
        shimamaki.hokkaido.jp
        shimamoto.osaka.jp
        shimane.jp
        shimane.shimane.jp
        shimizu.hokkaido.jp
        shimizu.shizuoka.jp
        shimoda.shizuoka.jp
        shimodate.ibaraki.jp
        shimofusa.chiba.jp
        shimogo.fukushima.jp
        shimoichi.nara.jp
        shimoji.okinawa.jp
        shimokawa.hokkaido.jp
        shimokitayama.nara.jp
        shimonita.gunma.jp
        shimonoseki.yamaguchi.jp
        shimosuwa.nagano.jp
        shimotsuke.tochigi.jp
        shimotsuma.ibaraki.jp
        shinagawa.tokyo.jp
        shinanomachi.nagano.jp
        shingo.aomori.jp
        shingu.fukuoka.jp
        shingu.hyogo.jp
        shingu.wakayama.jp
        shinichi.hiroshima.jp
        shinjo.nara.jp
        shinjo.okayama.jp
        shinjo.yamagata.jp
        shinjuku.tokyo.jp
        shinkamigoto.nagasaki.jp
        shinonsen.hyogo.jp
        shinshinotsu.hokkaido.jp
        shinshiro.aichi.jp
        shinto.gunma.jp
        shintoku.hokkaido.jp
        shintomi.miyazaki.jp
        shinyoshitomi.fukuoka.jp
        shiogama.miyagi.jp
        shiojiri.nagano.jp
        shioya.tochigi.jp
        shirahama.wakayama.jp
        shirakawa.fukushima.jp
        shirakawa.gifu.jp
        shirako.chiba.jp
        shiranuka.hokkaido.jp
        shiraoi.hokkaido.jp
        shiraoka.saitama.jp
        shirataka.yamagata.jp
        shiriuchi.hokkaido.jp
        shiroi.chiba.jp
        shiroishi.miyagi.jp
        shiroishi.saga.jp
        shirosato.ibaraki.jp
        shishikui.tokushima.jp
        shiso.hyogo.jp
        shisui.chiba.jp
        shitara.aichi.jp
        shiwa.iwate.jp
        shizukuishi.iwate.jp
        shizuoka.jp
        shizuoka.shizuoka.jp
        shobara.hiroshima.jp
        shoes
        shonai.fukuoka.jp
        shonai.yamagata.jp
        shoo.okayama.jp
        shop
        shop.brendly.rs p
        shop.ht
        shop.hu
        shop.pl
        shop.ro p
        shop.th p
        shoparena.pl p
        shopitsite.com p
        shopping
        shopselect.net p
        shopware.store p
        shouji
        show
        show.aero
        showa.fukushima.jp
        showa.gunma.jp
        showa.yamanashi.jp
        showtime
        shunan.yamaguchi.jp
        shw.io p
        si
        si.eu.org p
        si.it
        sibenik.museum
        sic.it
        sicilia.it
        sicily.it
        siellak.no
        siena.it
        sigdal.no
        siiites.com p
        siljan.no
        silk
        silk.museum
        simple-url.com p
        simplesite.com p
        simplesite.com.br p
        simplesite.gr p
        simplesite.pl p
        sina
        sinaapp.com p
        singles
        siracusa.it
        sirdal.no
        site
        site.tb-hosting.com p
        site.transip.me p
        siteleaf.net p
        sites.static.land p
        sj
        sjc.br
        sk
        sk.ca
        sk.eu.org p
        skanit.no
        skanland.no
        skaun.no
        skedsmo.no
        skedsmokorset.no
        ski
        ski.museum
        ski.no
        skien.no
        skierva.no
        skin
        skiptvet.no
        skjak.no
        skjervoy.no
        sklep.pl
        sko.gov.pl
        skoczow.pl
        skodje.no
        skole.museum
        sky
        skydiving.aero
        skygearapp.com p
        skype
        sl
        slask.pl
        slattum.no
        sld.do
        sld.pa
        slg.br
        sling
        slupsk.pl
        slz.br
        sm
        sm.ua
        small-web.org p
        smart
        smartlabeling.scw.cloud p
        smile
        smola.no
        smushcdn.com p
        sn
        sn.cn
        snaase.no
        snasa.no
        sncf
        snillfjord.no
        snoasa.no
        snowflake.app p
        so
        so.gov.pl
        so.it
        sobetsu.hokkaido.jp
        soc.dz
        soc.lk
        soc.srcf.net p
        soccer
        sochi.su p
        social
        society.museum
        sodegaura.chiba.jp
        soeda.fukuoka.jp
        softbank
        software
        software.aero
        sogndal.no
        sogne.no
        sohu
        soja.okayama.jp
        soka.saitama.jp
        sokndal.no
        sola.no
        solar
        sologne.museum
        solund.no
        solutions
        soma.fukushima.jp
        somna.no
        sondre-land.no
        sondrio.it
        song
        songdalen.no
        soni.nara.jp
        sony
        soo.kagoshima.jp
        sopot.pl p
        sor-aurdal.no
        sor-fron.no
        sor-odal.no
        sor-varanger.no
        sorfold.no
        sorocaba.br
        sorreisa.no
        sortland.no
        sorum.no
        sos.pl
        sosa.chiba.jp
        sosnowiec.pl
        soundandvision.museum
        soundcast.me p
        southcarolina.museum
        southwest.museum
        sowa.ibaraki.jp
        soy
        sp.gov.br
        sp.it
        sp.leg.br p
        spa
        space
        space-to-rent.com p
        space.museum
        spacekit.io p
        spb.ru p
        spb.su p
        spdns.de p
        spdns.eu p
        spdns.org p
        spectrum.myjino.ru q
        sphinx.mythic-beasts.com p
        spjelkavik.no
        sport
        sport.hu
        spot
        spy.museum
        spydeberg.no
        square.museum
        square7.ch p
        square7.de p
        square7.net p
        sr
        sr.gov.pl
        sr.it
        srht.site p
        srl
        srv.br
        ss
        ss.it
        ssl.origin.cdn77-secure.org p
        st
        st.no
        staba.jp p
        stackhero-network.com p
        stada
        stadt.museum
        stage.nodeart.io p
        staging.onred.one p
        stalbans.museum
        stalowa-wola.pl
        stange.no
        staples
        star
        starachowice.pl
        stargard.pl
        starnberg.museum
        starostwo.gov.pl
        stat.no
        state.museum
        statebank
        statefarm
        stateofdelaware.museum
        stathelle.no
        static-access.net p
        static.land p
        static.observableusercontent.com p
        statics.cloud q
        station.museum
        stavanger.no
        stavern.no
        stc
        stcgroup
        steam.museum
        steiermark.museum
        steigen.no
        steinkjer.no
        stg-builder.code.com q
        stg.dev q
        stgstage.dev q
        sth.ac.at
        stjohn.museum
        stjordal.no
        stjordalshalsen.no
        stockholm
        stockholm.museum
        stokke.no
        stolos.io q
        stor-elvdal.no
        storage
        storage.yandexcloud.net p
        stord.no
        stordal.no
        store
        store.bb
        store.dk p
        store.nf
        store.ro
        store.st
        store.ve
        storebase.store p
        storfjord.no
        storj.farm p
        stpetersburg.museum
        strand.no
        stranda.no
        stream
        streamlit.app p
        streamlitapp.com p
        stripper.jp p
        stryn.no
        student.aero
        studio
        study
        stuff-4-sale.org p
        stuff-4-sale.us p
        stufftoread.com p
        stuttgart.museum
        style
        su
        su.paba.se p
        sub.jp p
        sucks
        sue.fukuoka.jp
        suedtirol.it
        suginami.tokyo.jp
        sugito.saitama.jp
        suifu.ibaraki.jp
        suisse.museum
        suita.osaka.jp
        sukagawa.fukushima.jp
        sukumo.kochi.jp
        sula.no
        suldal.no
        suli.hu
        sumida.tokyo.jp
        sumita.iwate.jp
        sumoto.hyogo.jp
        sumoto.kumamoto.jp
        sumy.ua
        sunagawa.hokkaido.jp
        sund.no
        sunndal.no
        sunnyday.jp p
        supabase.co p
        supabase.in p
        supabase.net p
        supersale.jp p
        supplies
        supply
        support
        surf
        surgeonshall.museum
        surgery
        surnadal.no
        surrey.museum
        susaki.kochi.jp
        susono.shizuoka.jp
        suwa.nagano.jp
        suwalki.pl
        suzaka.nagano.jp
        suzu.ishikawa.jp
        suzuka.mie.jp
        suzuki
        sv
        sv.it
        svalbard.no
        svc.firenet.ch q
        sveio.no
        svelvik.no
        svizzera.museum
        svn-repos.de p
        swatch
        sweden.museum
        sweetpepper.org p
        swidnica.pl
        swidnik.pl p
        swiebodzin.pl
        swinoujscie.pl
        swiss
        sx
        sx.cn
        sy
        sydney
        sydney.museum
        sykkylven.no
        syncloud.it p
        syno-ds.de p
        synology-diskstation.de p
        synology-ds.de p
        synology.me p
        sys.qcx.io q
        systems
        sytes.net p
        sz
        szczecin.pl
        szczytno.pl
        szex.hu
        szkola.pl
        t.bg
        t.se
        t3l3p0rt.net p
        ta.it
        taa.it
        tab
        tabayama.yamanashi.jp
        tabitorder.co.il p
        tabuse.yamaguchi.jp
        tachiarai.fukuoka.jp
        tachikawa.tokyo.jp
        tadaoka.osaka.jp
        tado.mie.jp
        tadotsu.kagawa.jp
        tagajo.miyagi.jp
        tagami.niigata.jp
        tagawa.fukuoka.jp
        tahara.aichi.jp
        taifun-dns.de p
        taiji.wakayama.jp
        taiki.hokkaido.jp
        taiki.mie.jp
        tainai.niigata.jp
        taipei
        taira.toyama.jp
        taishi.hyogo.jp
        taishi.osaka.jp
        taishin.fukushima.jp
        taito.tokyo.jp
        taiwa.miyagi.jp
        tajimi.gifu.jp
        tajiri.osaka.jp
        taka.hyogo.jp
        takagi.nagano.jp
        takahagi.ibaraki.jp
        takahama.aichi.jp
        takahama.fukui.jp
        takaharu.miyazaki.jp
        takahashi.okayama.jp
        takahata.yamagata.jp
        takaishi.osaka.jp
        takamatsu.kagawa.jp
        takamori.kumamoto.jp
        takamori.nagano.jp
        takanabe.miyazaki.jp
        takanezawa.tochigi.jp
        takaoka.toyama.jp
        takarazuka.hyogo.jp
        takasago.hyogo.jp
        takasaki.gunma.jp
        takashima.shiga.jp
        takasu.hokkaido.jp
        takata.fukuoka.jp
        takatori.nara.jp
        takatsuki.osaka.jp
        takatsuki.shiga.jp
        takayama.gifu.jp
        takayama.gunma.jp
        takayama.nagano.jp
        takazaki.miyazaki.jp
        takehara.hiroshima.jp
        taketa.oita.jp
        taketomi.okinawa.jp
        taki.mie.jp
        takikawa.hokkaido.jp
        takino.hyogo.jp
        takinoue.hokkaido.jp
        takko.aomori.jp
        tako.chiba.jp
        taku.saga.jp
        talk
        tama.tokyo.jp
        tamakawa.fukushima.jp
        tamaki.mie.jp
        tamamura.gunma.jp
        tamano.okayama.jp
        tamatsukuri.ibaraki.jp
        tamayu.shimane.jp
        tamba.hyogo.jp
        tana.no
        tanabe.kyoto.jp
        tanabe.wakayama.jp
        tanagura.fukushima.jp
        tananger.no
        tank.museum
        tanohata.iwate.jp
        taobao
        tara.saga.jp
        tarama.okinawa.jp
        taranto.it
        target
        targi.pl
        tarnobrzeg.pl
        tarui.gifu.jp
        tarumizu.kagoshima.jp
        tas.au
        tas.edu.au
        tas.gov.au
        tashkent.su p
        tatamotors
        tatar
        tatebayashi.gunma.jp
        tateshina.nagano.jp
        tateyama.chiba.jp
        tateyama.toyama.jp
        tatsuno.hyogo.jp
        tatsuno.nagano.jp
        tattoo
        tawaramoto.nara.jp
        tax
        taxi
        taxi.br
        tc
        tc.br
        tci
        tcm.museum
        tcp4.me p
        td
        tdk
        te.it
        te.ua
        teaches-yoga.com p
        team
        tec.br
        tec.mi.us
        tec.ve
        tech
        tech.orange p
        technology
        technology.museum
        tecnologia.bo
        tel
        tel.tr
        tele.amune.org p
        telebit.app p
        telebit.io p
        telebit.xyz q
        telekommunikation.museum
        television.museum
        temasek
        temp-dns.com p
        tempio-olbia.it
        tempioolbia.it
        tempurl.host p
        tendo.yamagata.jp
        tenei.fukushima.jp
        tenkawa.nara.jp
        tennis
        tenri.nara.jp
        teo.br
        teramo.it
        termez.su p
        terni.it
        ternopil.ua
        teshikaga.hokkaido.jp
        test-iserv.de p
        test.ru p
        test.tj
        teva
        texas.museum
        textile.museum
        tf
        tg
        tgory.pl
        th
        thd
        the.br
        theater
        theater.museum
        theatre
        theshop.jp p
        theworkpc.com p
        thick.jp p
        thingdustdata.com p
        thruhere.net p
        tiaa
        tickets
        tickets.io p
        tienda
        tiffany
        time.museum
        time.no
        timekeeping.museum
        tingvoll.no
        tinn.no
        tips
        tires
        tirol
        tj
        tj.cn
        tjeldsund.no
        tjmaxx
        tjome.no
        tjx
        tk
        tkmaxx
        tksat.bo
        tl
        tlon.network p
        tm
        tm.cy
        tm.dz
        tm.fr
        tm.hu
        tm.km
        tm.mc
        tm.mg
        tm.no
        tm.pl
        tm.ro
        tm.se
        tm.za
        tmall
        tmp.br
        tn
        tn.it
        tn.oxa.cloud p
        tn.us
        to
        to.gov.br
        to.gt p
        to.it
        to.leg.br p
        to.md p
        toba.mie.jp
        tobe.ehime.jp
        tobetsu.hokkaido.jp
        tobishima.aichi.jp
        tochigi.jp
        tochigi.tochigi.jp
        tochio.niigata.jp
        toda.saitama.jp
        today
        toei.aichi.jp
        toga.toyama.jp
        togakushi.nagano.jp
        togane.chiba.jp
        togitsu.nagasaki.jp
        togliatti.su p
        togo.aichi.jp
        togura.nagano.jp
        tohma.hokkaido.jp
        tohnosho.chiba.jp
        toho.fukuoka.jp
        tokai.aichi.jp
        tokai.ibaraki.jp
        tokamachi.niigata.jp
        tokashiki.okinawa.jp
        toki.gifu.jp
        tokigawa.saitama.jp
        tokke.no
        tokoname.aichi.jp
        tokorozawa.saitama.jp
        tokushima.jp
        tokushima.tokushima.jp
        tokuyama.yamaguchi.jp
        tokyo
        tokyo.jp
        tolga.no
        tomakomai.hokkaido.jp
        tomari.hokkaido.jp
        tome.miyagi.jp
        tomi.nagano.jp
        tomigusuku.okinawa.jp
        tomika.gifu.jp
        tomioka.gunma.jp
        tomisato.chiba.jp
        tomiya.miyagi.jp
        tomobe.ibaraki.jp
        tonaki.okinawa.jp
        tonami.toyama.jp
        tondabayashi.osaka.jp
        tone.ibaraki.jp
        tonkotsu.jp p
        tono.iwate.jp
        tonosho.kagawa.jp
        tonsberg.no
        toolforge.org p
        tools
        toon.ehime.jp
        top
        topology.museum
        torahime.shiga.jp
        toray
        toride.ibaraki.jp
        torino.it
        torino.museum
        torproject.net p
        torsken.no
        tos.it
        tosa.kochi.jp
        tosashimizu.kochi.jp
        toscana.it
        toshiba
        toshima.tokyo.jp
        tosu.saga.jp
        total
        tottori.jp
        tottori.tottori.jp
        touch.museum
        tourism.bj
        tourism.pl
        tourism.tn
        tours
        towada.aomori.jp
        town
        town.museum
        townnews-staging.com p
        toya.hokkaido.jp
        toyako.hokkaido.jp
        toyama.jp
        toyama.toyama.jp
        toyo.kochi.jp
        toyoake.aichi.jp
        toyohashi.aichi.jp
        toyokawa.aichi.jp
        toyonaka.osaka.jp
        toyone.aichi.jp
        toyono.osaka.jp
        toyooka.hyogo.jp
        toyosato.shiga.jp
        toyota
        toyota.aichi.jp
        toyota.yamaguchi.jp
        toyotomi.hokkaido.jp
        toyotsu.fukuoka.jp
        toyoura.hokkaido.jp
        toys
        tozawa.yamagata.jp
        tozsde.hu
        tp.it
        tr
        tr.eu.org p
        tr.it
        tr.no
        tra.kp
        trade
        trader.aero
        trading
        trading.aero
        traeumtgerade.de p
        trafficplex.cloud p
        trainer.aero
        training
        trana.no
        tranby.no
        trani-andria-barletta.it
        trani-barletta-andria.it
        traniandriabarletta.it
        tranibarlettaandria.it
        tranoy.no
        translate.goog p
        translated.page p
        transport.museum
        transporte.bo
        transurl.be q
        transurl.eu q
        transurl.nl q
        trapani.it
        travel
        travel.in
        travel.pl
        travel.tt
        travelchannel
        travelers
        travelersinsurance
        trd.br
        tree.museum
        trentin-sud-tirol.it
        trentin-sudtirol.it
        trentin-sued-tirol.it
        trentin-suedtirol.it
        trentino-a-adige.it
        trentino-aadige.it
        trentino-alto-adige.it
        trentino-altoadige.it
        trentino-s-tirol.it
        trentino-stirol.it
        trentino-sud-tirol.it
        trentino-sudtirol.it
        trentino-sued-tirol.it
        trentino-suedtirol.it
        trentino.it
        trentinoa-adige.it
        trentinoaadige.it
        trentinoalto-adige.it
        trentinoaltoadige.it
        trentinos-tirol.it
        trentinostirol.it
        trentinosud-tirol.it
        trentinosudtirol.it
        trentinosued-tirol.it
        trentinosuedtirol.it
        trentinsud-tirol.it
        trentinsudtirol.it
        trentinsued-tirol.it
        trentinsuedtirol.it
        trento.it
        treviso.it
        trieste.it
        triton.zone q
        troandin.no
        trogstad.no
        troitsk.su p
        trolley.museum
        tromsa.no
        tromso.no
        trondheim.no
        trust
        trust.museum
        trustee.museum
        trv
        try-snowplow.com p
        trycloudflare.com p
        trysil.no
        ts.it
        ts.net p
        tselinograd.su p
        tsk.tr
        tst.site q
        tsu.mie.jp
        tsubame.niigata.jp
        tsubata.ishikawa.jp
        tsubetsu.hokkaido.jp
        tsuchiura.ibaraki.jp
        tsuga.tochigi.jp
        tsugaru.aomori.jp
        tsuiki.fukuoka.jp
        tsukigata.hokkaido.jp
        tsukiyono.gunma.jp
        tsukuba.ibaraki.jp
        tsukui.kanagawa.jp
        tsukumi.oita.jp
        tsumagoi.gunma.jp
        tsunan.niigata.jp
        tsuno.kochi.jp
        tsuno.miyazaki.jp
        tsuru.yamanashi.jp
        tsuruga.fukui.jp
        tsurugashima.saitama.jp
        tsurugi.ishikawa.jp
        tsuruoka.yamagata.jp
        tsuruta.aomori.jp
        tsushima.aichi.jp
        tsushima.nagasaki.jp
        tsuwano.shimane.jp
        tsuyama.okayama.jp
        tt
        tt.im
        tube
        tui
        tula.su p
        tuleap-partners.com p
        tunes
        tunk.org p
        tur.ar
        tur.br
        turek.pl
        turin.it
        turystyka.pl
        tuscany.it
        tushu
        tuva.su p
        tuxfamily.org p
        tv
        tv.bb
        tv.bo
        tv.br
        tv.im
        tv.in
        tv.it
        tv.kg p
        tv.na
        tv.sd
        tv.tr
        tv.tz
        tvedestrand.no
        tvs
        tw
        tw.cn
        twmail.cc p
        twmail.net p
        twmail.org p
        tx.us
        tychy.pl
        tydal.no
        tynset.no
        typedream.app p
        tysfjord.no
        tysnes.no
        tysvar.no
        tz
        u.bg
        u.channelsdvr.net p
        u.se
        u2-local.xnbay.com p
        u2.xnbay.com p
        ua
        ua.rs p
        ubank
        ube.yamaguchi.jp
        uber.space p
        uberspace.de q
        ubs
        uchihara.ibaraki.jp
        uchiko.ehime.jp
        uchinada.ishikawa.jp
        uchinomi.kagawa.jp
        ud.it
        uda.nara.jp
        udi.br
        udine.it
        udono.mie.jp
        ueda.nagano.jp
        ueno.gunma.jp
        uenohara.yamanashi.jp
        ufcfan.org p
        ug
        ug.gov.pl
        ugim.gov.pl
        uhren.museum
        ui.nabu.casa p
        uji.kyoto.jp
        ujiie.tochigi.jp
        ujitawara.kyoto.jp
        uk
        uk.com p
        uk.eu.org p
        uk.in
        uk.kg p
        uk.net p
        uk.oxa.cloud p
        uk.primetel.cloud p
        uk.reclaim.cloud p
        uk0.bigv.io p
        uki.kumamoto.jp
        ukiha.fukuoka.jp
        ullensaker.no
        ullensvang.no
        ulm.museum
        ulsan.kr
        ulvik.no
        um.gov.pl
        umaji.kochi.jp
        umb.it
        umbria.it
        umi.fukuoka.jp
        umig.gov.pl
        unazuki.toyama.jp
        under.jp p
        undersea.museum
        uni5.net p
        unicloud.pl p
        unicom
        union.aero
        univ.bj
        univ.sn
        university
        university.museum
        unjarga.no
        unnan.shimane.jp
        uno
        unusualperson.com p
        unzen.nagasaki.jp
        uol
        uonuma.niigata.jp
        uozu.toyama.jp
        up.in
        upaas.kazteleport.kz p
        upli.io p
        upow.gov.pl
        upper.jp p
        uppo.gov.pl
        ups
        urakawa.hokkaido.jp
        urasoe.okinawa.jp
        urausu.hokkaido.jp
        urawa.saitama.jp
        urayasu.chiba.jp
        urbino-pesaro.it
        urbinopesaro.it
        ureshino.mie.jp
        uri.arpa
        url.tw p
        urn.arpa
        urown.cloud p
        uruma.okinawa.jp
        uryu.hokkaido.jp
        us
        us-1.evennode.com p
        us-2.evennode.com p
        us-3.evennode.com p
        us-4.evennode.com p
        us-east-1.amazonaws.com p
        us-east-1.elasticbeanstalk.com p
        us-east-2.elasticbeanstalk.com p
        us-gov-west-1.elasticbeanstalk.com p
        us-west-1.elasticbeanstalk.com p
        us-west-2.elasticbeanstalk.com p
        us.ax p
        us.com p
        us.eu.org p
        us.gov.pl
        us.in
        us.kg p
        us.na
        us.org p
        us.platform.sh p
        us.reclaim.cloud p
        usa.museum
        usa.oita.jp
        usantiques.museum
        usarts.museum
        uscountryestate.museum
        usculture.museum
        usdecorativearts.museum
        user.aseinet.ne.jp p
        user.fm q
        user.localcert.dev q
        user.party.eus p
        user.srcf.net p
        usercontent.goog q
        usercontent.jp p
        users.scale.virtualcloud.com.br p
        usgarden.museum
        ushiku.ibaraki.jp
        ushistory.museum
        ushuaia.museum
        uslivinghistory.museum
        usr.cloud.muni.cz p
        ustka.pl
        usui.fukuoka.jp
        usuki.oita.jp
        ut.us
        utah.museum
        utashinai.hokkaido.jp
        utazas.hu
        utazu.kagawa.jp
        uto.kumamoto.jp
        utsira.no
        utsunomiya.tochigi.jp
        utwente.io p
        uvic.museum
        uw.gov.pl
        uwajima.ehime.jp
        uwu.ai p
        uy
        uy.com p
        uz
        uz.ua
        uzhgorod.ua
        uzs.gov.pl
        v-info.info p
        v.bg
        v.ua p
        va
        va.it
        va.no
        va.us
        vaapste.no
        vacations
        vadso.no
        vaga.no
        vagan.no
        vagsoy.no
        vaksdal.no
        val-d-aosta.it
        val-daosta.it
        vald-aosta.it
        valdaosta.it
        valer.hedmark.no
        valer.ostfold.no
        valle-aosta.it
        valle-d-aosta.it
        valle-daosta.it
        valle.no
        valleaosta.it
        valled-aosta.it
        valledaosta.it
        vallee-aoste.it
        vallee-d-aoste.it
        valleeaoste.it
        valleedaoste.it
        valley.museum
        vana
        vang.no
        vanguard
        vantaa.museum
        vanylven.no
        vao.it
        vapor.cloud p
        vaporcloud.io p
        vardo.no
        varese.it
        varggat.no
        varoy.no
        vb.it
        vc
        vc.it
        vda.it
        ve
        ve.it
        vefsn.no
        vega.no
        vegarshei.no
        vegas
        velvet.jp p
        ven.it
        veneto.it
        venezia.it
        venice.it
        vennesla.no
        ventures
        verbania.it
        vercel.app p
        vercel.dev p
        vercelli.it
        verdal.no
        verisign
        verona.it
        verran.no
        versailles.museum
        verse.jp p
        versicherung
        versus.jp p
        vestby.no
        vestnes.no
        vestre-slidre.no
        vestre-toten.no
        vestvagoy.no
        vet
        vet.br
        veterinaire.fr
        veterinaire.km
        vevelstad.no
        vf.no
        vfs.cloud9.af-south-1.amazonaws.com p
        vfs.cloud9.ap-east-1.amazonaws.com p
        vfs.cloud9.ap-northeast-1.amazonaws.com p
        vfs.cloud9.ap-northeast-2.amazonaws.com p
        vfs.cloud9.ap-northeast-3.amazonaws.com p
        vfs.cloud9.ap-south-1.amazonaws.com p
        vfs.cloud9.ap-southeast-1.amazonaws.com p
        vfs.cloud9.ap-southeast-2.amazonaws.com p
        vfs.cloud9.ca-central-1.amazonaws.com p
        vfs.cloud9.eu-central-1.amazonaws.com p
        vfs.cloud9.eu-north-1.amazonaws.com p
        vfs.cloud9.eu-south-1.amazonaws.com p
        vfs.cloud9.eu-west-1.amazonaws.com p
        vfs.cloud9.eu-west-2.amazonaws.com p
        vfs.cloud9.eu-west-3.amazonaws.com p
        vfs.cloud9.me-south-1.amazonaws.com p
        vfs.cloud9.sa-east-1.amazonaws.com p
        vfs.cloud9.us-east-1.amazonaws.com p
        vfs.cloud9.us-east-2.amazonaws.com p
        vfs.cloud9.us-west-1.amazonaws.com p
        vfs.cloud9.us-west-2.amazonaws.com p
        vg
        vgs.no
        vi
        vi.it
        vi.us
        viajes
        vibo-valentia.it
        vibovalentia.it
        vic.au
        vic.edu.au
        vic.gov.au
        vicenza.it
        video
        video.hu
        vig
        vik.no
        viking
        viking.museum
        vikna.no
        village.museum
        villas
        vin
        vindafjord.no
        vinnica.ua
        vinnytsia.ua
        vip
        vip.jelastic.cloud p
        vipsinaapp.com p
        virgin
        virginia.museum
        virtual-user.de p
        virtual.museum
        virtualserver.io p
        virtualuser.de p
        virtuel.museum
        visa
        vision
        viterbo.it
        viva
        vivian.jp p
        vivo
        vix.br
        vlaanderen
        vlaanderen.museum
        vladikavkaz.ru p
        vladikavkaz.su p
        vladimir.ru p
        vladimir.su p
        vlog.br
        vm.bytemark.co.uk p
        vn
        vn.ua
        voagat.no
        vodka
        volda.no
        volkenkunde.museum
        volkswagen
        vologda.su p
        volvo
        volyn.ua
        voorloper.cloud p
        voss.no
        vossevangen.no
        vote
        voting
        voto
        voyage
        vp4.me p
        vpndns.net p
        vpnplus.to p
        vps-host.net p
        vps.mcdir.ru p
        vps.myjino.ru q
        vr.it
        vs.it
        vs.mythic-beasts.com p
        vt.it
        vt.us
        vu
        vuelos
        vultrobjects.com q
        vv.it
        vxl.sh p
        w.bg
        w.se
        wa.au
        wa.edu.au
        wa.gov.au
        wa.us
        wada.nagano.jp
        wafflecell.com p
        wajiki.tokushima.jp
        wajima.ishikawa.jp
        wakasa.fukui.jp
        wakasa.tottori.jp
        wakayama.jp
        wakayama.wakayama.jp
        wake.okayama.jp
        wakkanai.hokkaido.jp
        wakuya.miyagi.jp
        walbrzych.pl
        wales
        wales.museum
        wallonie.museum
        walmart
        walter
        wang
        wanggou
        wanouchi.gifu.jp
        war.museum
        warabi.saitama.jp
        warmia.pl
        warszawa.pl
        washingtondc.museum
        washtenaw.mi.us
        wassamu.hokkaido.jp
        watarai.mie.jp
        watari.miyagi.jp
        watch
        watch-and-clock.museum
        watchandclock.museum
        watches
        watson.jp p
        waw.pl
        wazuka.kyoto.jp
        we.bs p
        we.tc p
        weather
        weatherchannel
        web.app p
        web.bo
        web.co
        web.do
        web.gu
        web.id
        web.in p
        web.lk
        web.nf
        web.ni
        web.pk
        web.tj
        web.tr
        web.ve
        web.za
        webcam
        weber
        webhare.dev q
        webhop.biz p
        webhop.info p
        webhop.me p
        webhop.net p
        webhop.org p
        webhosting.be p
        weblike.jp p
        webpaas.ovh.net q
        webredirect.org p
        website
        website.yandexcloud.net p
        webspace.rocks p
        webthings.io p
        webview-assets.cloud9.af-south-1.amazonaws.com p
        webview-assets.cloud9.ap-east-1.amazonaws.com p
        webview-assets.cloud9.ap-northeast-1.amazonaws.com p
        webview-assets.cloud9.ap-northeast-2.amazonaws.com p
        webview-assets.cloud9.ap-northeast-3.amazonaws.com p
        webview-assets.cloud9.ap-south-1.amazonaws.com p
        webview-assets.cloud9.ap-southeast-1.amazonaws.com p
        webview-assets.cloud9.ap-southeast-2.amazonaws.com p
        webview-assets.cloud9.ca-central-1.amazonaws.com p
        webview-assets.cloud9.eu-central-1.amazonaws.com p
        webview-assets.cloud9.eu-north-1.amazonaws.com p
        webview-assets.cloud9.eu-south-1.amazonaws.com p
        webview-assets.cloud9.eu-west-1.amazonaws.com p
        webview-assets.cloud9.eu-west-2.amazonaws.com p
        webview-assets.cloud9.eu-west-3.amazonaws.com p
        webview-assets.cloud9.me-south-1.amazonaws.com p
        webview-assets.cloud9.sa-east-1.amazonaws.com p
        webview-assets.cloud9.us-east-1.amazonaws.com p
        webview-assets.cloud9.us-east-2.amazonaws.com p
        webview-assets.cloud9.us-west-1.amazonaws.com p
        webview-assets.cloud9.us-west-2.amazonaws.com p
        wedding
        wedeploy.io p
        wedeploy.me p
        wedeploy.sh p
        weeklylottery.org.uk p
        wegrow.pl
        weibo
        weir
        wellbeingzone.co.uk p
        wellbeingzone.eu p
        west1-us.cloudjiffy.net p
        western.museum
        westeurope.azurestaticapps.net p
        westfalen.museum
        westus2.azurestaticapps.net p
        wf
        whaling.museum
        whitesnow.jp p
        whm.fr-par.scw.cloud p
        whm.nl-ams.scw.cloud p
        whoswho
        wi.us
        wielun.pl
        wien
        wien.funkfeuer.at p
        wif.gov.pl
        wiih.gov.pl
        wiki
        wiki.bo
        wiki.br
        wildlife.museum
        williamhill
        williamsburg.museum
        win
        winb.gov.pl
        windmill.museum
        windows
        wine
        winners
        wios.gov.pl
        witd.gov.pl
        withgoogle.com p
        withyoutube.com p
        wiw.gov.pl
        wixsite.com p
        wlocl.pl
        wloclawek.pl
        wmcloud.org p
        wme
        wmflabs.org p
        wnext.app p
        wodzislaw.pl
        wolomin.pl
        wolterskluwer
        woltlab-demo.com p
        woodside
        work
        workers.dev p
        workinggroup.aero
        workisboring.com p
        works
        works.aero
        workshop.museum
        world
        worse-than.tv p
        wow
        wpdevcloud.com p
        wpenginepowered.com p
        wphostedmail.com p
        wpmucdn.com p
        wpmudev.host p
        writesthisblog.com p
        wroc.pl p
        wroclaw.pl
        ws
        ws.na
        wsa.gov.pl
        wskr.gov.pl
        wtc
        wtf
        wuoz.gov.pl
        wv.us
        www.ck x
        www.ro
        wy.us
        wzmiuw.gov.pl
        x.bg
        x.mythic-beasts.com p
        x.se
        x443.pw p
        xbox
        xen.prgmr.com p
        xerox
        xfinity
        xihuan
        xin
        xj.cn
        xn--0trq7p7nn.jp
        xn--11b4c3d
        xn--12c1fe0br.xn--o3cw4h
        xn--12cfi8ixb8l.xn--o3cw4h
        xn--12co0c3b4eva.xn--o3cw4h
        xn--1ck2e1b
        xn--1ctwo.jp
        xn--1lqs03n.jp
        xn--1lqs71d.jp
        xn--1qqw23a
        xn--2m4a15e.jp
        xn--2scrj9c
        xn--30rr7y
        xn--32vp30h.jp
        xn--3bst00m
        xn--3ds443g
        xn--3e0b707e
        xn--3hcrj9c
        xn--3pxu8k
        xn--41a.xn--p1acf p
        xn--42c2d9a
        xn--45br5cyl
        xn--45brj9c
        xn--45q11c
        xn--4dbgdty6c.xn--4dbrk0ce
        xn--4dbrk0ce
        xn--4gbrim
        xn--4it168d.jp
        xn--4it797k.jp
        xn--4pvxs.jp
        xn--54b7fta0cc
        xn--55qw42g
        xn--55qx5d
        xn--55qx5d.cn
        xn--55qx5d.hk
        xn--55qx5d.xn--j6w193g
        xn--5dbhl8d.xn--4dbrk0ce
        xn--5js045d.jp
        xn--5rtp49c.jp
        xn--5rtq34k.jp
        xn--5su34j936bgsg
        xn--5tzm5g
        xn--6btw5a.jp
        xn--6frz82g
        xn--6orx2r.jp
        xn--6qq986b3xl
        xn--7t0a264c.jp
        xn--80aaa0cvac.xn--p1acf p
        xn--80adxhks
        xn--80ao21a
        xn--80aqecdr1a
        xn--80asehdb
        xn--80aswg
        xn--80au.xn--90a3ac
        xn--8dbq2a.xn--4dbrk0ce
        xn--8ltr62k.jp
        xn--8pvr4u.jp
        xn--8y0a063a
        xn--90a1af.xn--p1acf p
        xn--90a3ac
        xn--90ae
        xn--90ais
        xn--90amc.xn--p1acf p
        xn--90azh.xn--90a3ac
        xn--9dbhblg6di.museum
        xn--9dbq2a
        xn--9et52u
        xn--9krt00a
        xn--andy-ira.no
        xn--aroport-bya.ci
        xn--asky-ira.no
        xn--aurskog-hland-jnb.no
        xn--avery-yua.no
        xn--b-5ga.nordland.no
        xn--b-5ga.telemark.no
        xn--b4w605ferd
        xn--balsan-sdtirol-nsb.it
        xn--bck1b9a5dre4c
        xn--bdddj-mrabd.no
        xn--bearalvhki-y4a.no
        xn--berlevg-jxa.no
        xn--bhcavuotna-s4a.no
        xn--bhccavuotna-k7a.no
        xn--bidr-5nac.no
        xn--bievt-0qa.no
        xn--bjarky-fya.no
        xn--bjddar-pta.no
        xn--blt-elab.no
        xn--bmlo-gra.no
        xn--bod-2na.no
        xn--bozen-sdtirol-2ob.it
        xn--brnny-wuac.no
        xn--brnnysund-m8ac.no
        xn--brum-voa.no
        xn--btsfjord-9za.no
        xn--bulsan-sdtirol-nsb.it
        xn--c1avg
        xn--c1avg.xn--90a3ac
        xn--c1avg.xn--p1acf p
        xn--c2br7g
        xn--c3s14m.jp
        xn--cck2b3b
        xn--cckwcxetd
        xn--cesena-forl-mcb.it
        xn--cesenaforl-i8a.it
        xn--cg4bki
        xn--ciqpn.hk
        xn--clchc0ea0b2g2a9gcd
        xn--comunicaes-v6a2o.museum
        xn--correios-e-telecomunicaes-ghc29a.museum
        xn--czr694b
        xn--czrs0t
        xn--czru2d
        xn--czrw28b.tw
        xn--d1acj3b
        xn--d1alf
        xn--d1at.xn--90a3ac
        xn--d5qv7z876c.jp
        xn--davvenjrga-y4a.no
        xn--djrs72d6uy.jp
        xn--djty4k.jp
        xn--dnna-gra.no
        xn--drbak-wua.no
        xn--dyry-ira.no
        xn--e1a4c
        xn--eckvdtc9d
        xn--efvn9s.jp
        xn--efvy88h
        xn--ehqz56n.jp
        xn--elqq16h.jp
        xn--eveni-0qa01ga.no
        xn--f6qx53a.jp
        xn--fct429k
        xn--fhbei
        xn--finny-yua.no
        xn--fiq228c5hs
        xn--fiq64b
        xn--fiqs8s
        xn--fiqz9s
        xn--fjord-lra.no
        xn--fjq720a
        xn--fl-zia.no
        xn--flor-jra.no
        xn--flw351e
        xn--forl-cesena-fcb.it
        xn--forlcesena-c8a.it
        xn--fpcrj9c3d
        xn--frde-gra.no
        xn--frna-woa.no
        xn--frya-hra.no
        xn--fzc2c9e2c
        xn--fzys8d69uvgm
        xn--g2xx48c
        xn--gckr3f0f
        xn--gecrj9c
        xn--ggaviika-8ya47h.no
        xn--gildeskl-g0a.no
        xn--givuotna-8ya.no
        xn--gjvik-wua.no
        xn--gk3at1e
        xn--gls-elac.no
        xn--gmq050i.hk
        xn--gmqw5a.hk
        xn--gmqw5a.xn--j6w193g
        xn--gnstigbestellen-zvb.de p
        xn--gnstigliefern-wob.de p
        xn--h-2fa.no
        xn--h1aegh.museum
        xn--h1ahn.xn--p1acf p
        xn--h1aliz.xn--p1acf p
        xn--h2breg3eve
        xn--h2brj9c
        xn--h2brj9c8c
        xn--h3cuzk1di.xn--o3cw4h
        xn--hbmer-xqa.no
        xn--hcesuolo-7ya35b.no
        xn--hebda8b.xn--4dbrk0ce
        xn--hery-ira.nordland.no
        xn--hery-ira.xn--mre-og-romsdal-qqb.no
        xn--hgebostad-g3a.no
        xn--hkkinen-5wa.fi p
        xn--hmmrfeasta-s4ac.no
        xn--hnefoss-q1a.no
        xn--hobl-ira.no
        xn--holtlen-hxa.no
        xn--hpmir-xqa.no
        xn--hxt814e
        xn--hyanger-q1a.no
        xn--hylandet-54a.no
        xn--i1b6b1a6a2e
        xn--imr513n
        xn--indery-fya.no
        xn--io0a7i
        xn--io0a7i.cn
        xn--io0a7i.hk
        xn--j1adp.xn--p1acf p
        xn--j1aef
        xn--j1aef.xn--p1acf p
        xn--j1ael8b.xn--p1acf p
        xn--j1amh
        xn--j6w193g
        xn--jlq480n2rg
        xn--jlster-bya.no
        xn--jrpeland-54a.no
        xn--jvr189m
        xn--k7yn95e.jp
        xn--karmy-yua.no
        xn--kbrq7o.jp
        xn--kcrx77d1x4a
        xn--kfjord-iua.no
        xn--klbu-woa.no
        xn--klt787d.jp
        xn--kltp7d.jp
        xn--kltx9a.jp
        xn--klty5x.jp
        xn--koluokta-7ya57h.no
        xn--kprw13d
        xn--kpry57d
        xn--kput3i
        xn--krager-gya.no
        xn--kranghke-b0a.no
        xn--krdsherad-m8a.no
        xn--krehamn-dxa.no
        xn--krjohka-hwab49j.no
        xn--ksnes-uua.no
        xn--kvfjord-nxa.no
        xn--kvitsy-fya.no
        xn--kvnangen-k0a.no
        xn--l-1fa.no
        xn--l1acc
        xn--laheadju-7ya.no
        xn--langevg-jxa.no
        xn--lcvr32d.hk
        xn--ldingen-q1a.no
        xn--leagaviika-52b.no
        xn--lesund-hua.no
        xn--lgbbat1ad8j
        xn--lgrd-poac.no
        xn--lhppi-xqa.no
        xn--linds-pra.no
        xn--lns-qla.museum
        xn--loabt-0qa.no
        xn--lrdal-sra.no
        xn--lrenskog-54a.no
        xn--lt-liac.no
        xn--lten-gra.no
        xn--lury-ira.no
        xn--m3ch0j3a.xn--o3cw4h
        xn--mely-ira.no
        xn--merker-kua.no
        xn--mgb2ddes
        xn--mgb9awbf
        xn--mgba3a3ejt
        xn--mgba3a4f16a
        xn--mgba3a4f16a.ir
        xn--mgba3a4fra
        xn--mgba3a4fra.ir
        xn--mgba7c0bbn0a
        xn--mgbaakc7dvf
        xn--mgbaam7a8h
        xn--mgbab2bd
        xn--mgbah1a3hjkrd
        xn--mgbai9a5eva00b
        xn--mgbai9azgqp6j
        xn--mgbayh7gpa
        xn--mgbbh1a
        xn--mgbbh1a71e
        xn--mgbc0a9azcg
        xn--mgbca7dzdo
        xn--mgbcpq6gpa1a
        xn--mgberp4a5d4a87g
        xn--mgberp4a5d4ar
        xn--mgbgu82a
        xn--mgbi4ecexp
        xn--mgbpl2fh
        xn--mgbqly7c0a67fbc
        xn--mgbqly7cvafr
        xn--mgbt3dhd
        xn--mgbtf8fl
        xn--mgbtx2b
        xn--mgbx4cd0ab
        xn--mix082f
        xn--mix891f
        xn--mjndalen-64a.no
        xn--mk0axi.hk
        xn--mk1bu44c
        xn--mkru45i.jp
        xn--mlatvuopmi-s4a.no
        xn--mli-tla.no
        xn--mlselv-iua.no
        xn--moreke-jua.no
        xn--mori-qsa.nz
        xn--mosjen-eya.no
        xn--mot-tla.no
        xn--msy-ula0h.no
        xn--mtta-vrjjat-k7af.no
        xn--muost-0qa.no
        xn--mxtq1m
        xn--mxtq1m.hk
        xn--mxtq1m.xn--j6w193g
        xn--ngbc5azd
        xn--ngbe9e0a
        xn--ngbrx
        xn--nit225k.jp
        xn--nmesjevuemie-tcba.no
        xn--nnx388a
        xn--node
        xn--nqv7f
        xn--nqv7fs00ema
        xn--nry-yla5g.no
        xn--ntso0iqx3a.jp
        xn--ntsq17g.jp
        xn--nttery-byae.no
        xn--nvuotna-hwa.no
        xn--nyqy26a
        xn--o1ac.xn--90a3ac
        xn--o1ach.xn--90a3ac
        xn--o3cw4h
        xn--o3cyx2a.xn--o3cw4h
        xn--od0alg.cn
        xn--od0alg.hk
        xn--od0alg.xn--j6w193g
        xn--od0aq3b.hk
        xn--ogbpf8fl
        xn--oppegrd-ixa.no
        xn--ostery-fya.no
        xn--osyro-wua.no
        xn--otu796d
        xn--p1acf
        xn--p1ai
        xn--pgbs0dh
        xn--porsgu-sta26f.no
        xn--pssu33l.jp
        xn--pssy2u
        xn--q7ce6a
        xn--q9jyb4c
        xn--qcka1pmc
        xn--qqqt11m.jp
        xn--qxa6a
        xn--qxam
        xn--rady-ira.no
        xn--rdal-poa.no
        xn--rde-ula.no
        xn--rdy-0nab.no
        xn--rennesy-v1a.no
        xn--rhkkervju-01af.no
        xn--rholt-mra.no
        xn--rhqv96g
        xn--rht27z.jp
        xn--rht3d.jp
        xn--rht61e.jp
        xn--risa-5na.no
        xn--risr-ira.no
        xn--rland-uua.no
        xn--rlingen-mxa.no
        xn--rmskog-bya.no
        xn--rny31h.jp
        xn--rovu88b
        xn--rros-gra.no
        xn--rskog-uua.no
        xn--rst-0na.no
        xn--rsta-fra.no
        xn--rvc1e0am3e
        xn--ryken-vua.no
        xn--ryrvik-bya.no
        xn--s-1fa.no
        xn--s9brj9c
        xn--sandnessjen-ogb.no
        xn--sandy-yua.no
        xn--sdtirol-n2a.it
        xn--seral-lra.no
        xn--ses554g
        xn--sgne-gra.no
        xn--skierv-uta.no
        xn--skjervy-v1a.no
        xn--skjk-soa.no
        xn--sknit-yqa.no
        xn--sknland-fxa.no
        xn--slat-5na.no
        xn--slt-elab.no
        xn--smla-hra.no
        xn--smna-gra.no
        xn--snase-nra.no
        xn--sndre-land-0cb.no
        xn--snes-poa.no
        xn--snsa-roa.no
        xn--sr-aurdal-l8a.no
        xn--sr-fron-q1a.no
        xn--sr-odal-q1a.no
        xn--sr-varanger-ggb.no
        xn--srfold-bya.no
        xn--srreisa-q1a.no
        xn--srum-gra.no
        xn--stjrdal-s1a.no
        xn--stjrdalshalsen-sqb.no
        xn--stre-toten-zcb.no
        xn--t60b56a
        xn--tckwe
        xn--tiq49xqyj
        xn--tjme-hra.no
        xn--tn0ag.hk
        xn--tnsberg-q1a.no
        xn--tor131o.jp
        xn--trany-yua.no
        xn--trentin-sd-tirol-rzb.it
        xn--trentin-sdtirol-7vb.it
        xn--trentino-sd-tirol-c3b.it
        xn--trentino-sdtirol-szb.it
        xn--trentinosd-tirol-rzb.it
        xn--trentinosdtirol-7vb.it
        xn--trentinsd-tirol-6vb.it
        xn--trentinsdtirol-nsb.it
        xn--trgstad-r1a.no
        xn--trna-woa.no
        xn--troms-zua.no
        xn--tysvr-vra.no
        xn--uc0atv.hk
        xn--uc0atv.tw
        xn--uc0atv.xn--j6w193g
        xn--uc0ay4a.hk
        xn--uist22h.jp
        xn--uisz3g.jp
        xn--unjrga-rta.no
        xn--unup4y
        xn--uuwu58a.jp
        xn--vads-jra.no
        xn--valle-aoste-ebb.it
        xn--valle-d-aoste-ehb.it
        xn--valleaoste-e7a.it
        xn--valledaoste-ebb.it
        xn--vard-jra.no
        xn--vegrshei-c0a.no
        xn--vermgensberater-ctb
        xn--vermgensberatung-pwb
        xn--vestvgy-ixa6o.no
        xn--vg-yiab.no
        xn--vgan-qoa.no
        xn--vgsy-qoa0j.no
        xn--vgu402c.jp
        xn--vhquv
        xn--vler-qoa.hedmark.no
        xn--vler-qoa.xn--stfold-9xa.no
        xn--vre-eiker-k8a.no
        xn--vrggt-xqad.no
        xn--vry-yla5g.no
        xn--vuq861b
        xn--w4r85el8fhu5dnra
        xn--w4rs40l
        xn--wcvs22d.hk
        xn--wcvs22d.xn--j6w193g
        xn--wgbh1c
        xn--wgbl6a
        xn--xhq521b
        xn--xkc2al3hye2a
        xn--xkc2dl3a5ee0h
        xn--y9a3aq
        xn--yer-zna.no
        xn--yfro4i67o
        xn--ygarden-p1a.no
        xn--ygbi2ammx
        xn--ystre-slidre-ujb.no
        xn--zbx025d.jp
        xn--zf0ao64a.tw
        xn--zf0avx.hk
        xn--zfr164b
        xnbay.com p
        xs4all.space p
        xx.gl p
        xxx
        xy.ax p
        xyz
        xz.cn
        y.bg
        y.se
        yabu.hyogo.jp
        yabuki.fukushima.jp
        yachimata.chiba.jp
        yachiyo.chiba.jp
        yachiyo.ibaraki.jp
        yachts
        yaese.okinawa.jp
        yahaba.iwate.jp
        yahiko.niigata.jp
        yahoo
        yaita.tochigi.jp
        yaizu.shizuoka.jp
        yakage.okayama.jp
        yakumo.hokkaido.jp
        yakumo.shimane.jp
        yali.mythic-beasts.com p
        yalta.ua
        yamada.fukuoka.jp
        yamada.iwate.jp
        yamada.toyama.jp
        yamaga.kumamoto.jp
        yamagata.gifu.jp
        yamagata.ibaraki.jp
        yamagata.jp
        yamagata.nagano.jp
        yamagata.yamagata.jp
        yamaguchi.jp
        yamakita.kanagawa.jp
        yamamoto.miyagi.jp
        yamanakako.yamanashi.jp
        yamanashi.jp
        yamanashi.yamanashi.jp
        yamanobe.yamagata.jp
        yamanouchi.nagano.jp
        yamashina.kyoto.jp
        yamato.fukushima.jp
        yamato.kanagawa.jp
        yamato.kumamoto.jp
        yamatokoriyama.nara.jp
        yamatotakada.nara.jp
        yamatsuri.fukushima.jp
        yamaxun
        yamazoe.nara.jp
        yame.fukuoka.jp
        yanagawa.fukuoka.jp
        yanaizu.fukushima.jp
        yandex
        yandexcloud.net p
        yao.osaka.jp
        yaotsu.gifu.jp
        yasaka.nagano.jp
        yashio.saitama.jp
        yashiro.hyogo.jp
        yasu.shiga.jp
        yasuda.kochi.jp
        yasugi.shimane.jp
        yasuoka.nagano.jp
        yatomi.aichi.jp
        yatsuka.shimane.jp
        yatsushiro.kumamoto.jp
        yawara.ibaraki.jp
        yawata.kyoto.jp
        yawatahama.ehime.jp
        yazu.tottori.jp
        ybo.faith p
        ybo.party p
        ybo.review p
        ybo.science p
        ybo.trade p
        ye
        yk.ca
        yn.cn
        ynh.fr p
        yodobashi
        yoga
        yoichi.hokkaido.jp
        yoita.niigata.jp
        yoka.hyogo.jp
        yokaichiba.chiba.jp
        yokawa.hyogo.jp
        yokkaichi.mie.jp
        yokohama
        yokohama.jp w
        yokoshibahikari.chiba.jp
        yokosuka.kanagawa.jp
        yokote.akita.jp
        yokoze.saitama.jp
        yolasite.com p
        yombo.me p
        yomitan.okinawa.jp
        yonabaru.okinawa.jp
        yonago.tottori.jp
        yonaguni.okinawa.jp
        yonezawa.yamagata.jp
        yono.saitama.jp
        yorii.saitama.jp
        york.museum
        yorkshire.museum
        yoro.gifu.jp
        yosemite.museum
        yoshida.saitama.jp
        yoshida.shizuoka.jp
        yoshikawa.saitama.jp
        yoshimi.saitama.jp
        yoshino.nara.jp
        yoshinogari.saga.jp
        yoshioka.gunma.jp
        yotsukaido.chiba.jp
        you
        youth.museum
        youtube
        yt
        yuasa.wakayama.jp
        yufu.oita.jp
        yugawa.fukushima.jp
        yugawara.kanagawa.jp
        yuki.ibaraki.jp
        yukuhashi.fukuoka.jp
        yun
        yura.wakayama.jp
        yurihonjo.akita.jp
        yusuhara.kochi.jp
        yusui.kagoshima.jp
        yuu.yamaguchi.jp
        yuza.yamagata.jp
        yuzawa.niigata.jp
        z.bg
        z.se
        za.bz p
        za.com p
        za.net p
        za.org p
        zachpomor.pl
        zagan.pl
        zakopane.pl p
        zama.kanagawa.jp
        zamami.okinawa.jp
        zao.miyagi.jp
        zaporizhzhe.ua
        zaporizhzhia.ua
        zappos
        zapto.org p
        zapto.xyz p
        zara
        zarow.pl
        zentsuji.kagawa.jp
        zero
        zgora.pl
        zgorzelec.pl
        zhitomir.ua
        zhytomyr.ua
        zip
        zj.cn
        zlg.br
        zm
        zombie.jp p
        zone
        zoological.museum
        zoology.museum
        zp.gov.pl
        zp.ua
        zt.ua
        zuerich
        zushi.kanagawa.jp
        zw

        """
}
