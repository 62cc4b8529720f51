"""The nouns people tell of themselves by, and the words that only pass or judge."""

from stratal_memory.learning.wordlist import words

# Told in numbers, times or days; nothing else of them lasts.
AMOUNTS = words(
    """
    rent mortgage salary wage pay income budget commute bedtime weight height size mileage pb
    goal target allowance deductible bonus days hours schedule alarm pulse score bench squat
    deadlift pace handicap limit deposit savings debt loan fee curfew shift shifts calories
    intake step steps postcode zip pension rate notice
    """
)
# What one pays for, or has somebody for.
AMOUNTS_OF = words(
    """
    rent gym internet wifi broadband electricity energy gas water phone mobile insurance
    parking childcare nursery daycare storage mortgage heating council tuition school netflix
    spotify hosting therapy groceries transport membership car health banking email hosting
    cloud
    """
)
# What one uses something for.
PURPOSES = words(
    """
    notes passwords email emails mail calendar todos tasks coding backups music podcasts shopping
    groceries navigation maps budgeting accounting invoicing design writing photos editing running
    """
)
# Whoever or whatever is called something.
CALLED = words(
    """
    team project company startup band book novel podcast blog channel shop store street road
    neighbourhood neighborhood village town suburb district boat car house farm group club
    choir school university college office church neighbours neighbor neighbour department
    squad class landlord landlady company course podcast newsletter app dog cat
    """
)
# Things of the user's that are one at a time and stay for a while.
NOUNS = words(
    """
    bank gym insurer insurance provider carrier network isp broadband internet supplier phone
    mobile laptop computer pc tablet camera car bike bicycle motorbike scooter van truck editor
    ide browser shell terminal distro os keyboard mouse monitor printer router watch headphones
    console guitar piano violin instrument bass amp landlord landlady dentist doctor gp
    therapist physio vet accountant lawyer solicitor barber hairdresser optician mentor coach
    trainer tutor teacher advisor adviser supervisor psychiatrist counsellor counselor cleaner
    nanny childminder midwife surgeon neighbours neighbour team project role job title
    department company employer school university college course major minor degree thesis
    dissertation subject order pizza breakfast lunch drink cocktail recipe dish topping
    medication meds medicine inhaler prescription glasses contacts diagnosis condition blood
    allergy size street road neighbourhood neighborhood district area village suburb station
    stop airport address town city church parish mosque synagogue temple club band choir league
    airline hotel supermarket cafe bakery restaurant pub bar pharmacy library nursery daycare
    password-manager framework language stack database airline cloud host hosting domain
    website blog channel handle username nickname hobby sport position belt grade level rank
    routine diet plan subscription workout class dialect accent visa citizenship passport
    pronoun style paint yarn stroke pet middle-name surname car-insurance bootcamp certificate
    qualification tattoo sign
    """
)
# Where one goes: told by its place.
PLACED = words("office school university college church gym studio clinic workshop street nursery")
# What is had again and again: "my usual order is".
USUAL = words(
    "order coffee tea breakfast lunch dinner drink route seat table meal bus train pizza snack"
)
# The first word of a noun that only passes by.
FLEETING = words(
    """
    first second third last next other whole entire own best worst biggest only main-problem
    previous final real point favourite favorite ex
    """
)
# What one talks about or works on: never a fact of a life.
PASSING = words(
    """
    answer question query function code script file error bug test problem issue idea guess
    point opinion view thought thoughts take bad fault turn mood head brain mind heart back
    hand hands foot feet eyes eye leg legs arm arms stomach throat nose day week weekend month
    year morning evening night train flight bus coffee tea food tab input output result prompt
    request data table class method variable loop regex string list server build branch commit
    draft essay email message text letter homework exercise argument reason excuse favourite
    favorite understanding impression feeling feelings hope fear dream nightmare luck kitchen
    room floor mess desk hair skin face voice life world side part half rest way thing stuff
    fun pleasure honour honor apologies dinner tire battery screen signal connection fan door
    window sink boiler washing machine toilet package parcel delivery order attempt try version
    copy example sentence paragraph title-page conclusion advice suggestion plan worry concern
    worries nerves patience energy motivation focus time friend friends
    """
)
OPINIONS = words(
    """
    insane crazy useless awful terrible horrible great good bad nice lovely fine ok okay
    amazing awesome brilliant rubbish trash garbage shit crap cool chill strict mean rude kind
    annoying weird strange funny hilarious nuts mental mad ridiculous absurd huge tiny small
    big large massive high low steep cheap expensive pricey free fair unfair long short brutal
    tough hard easy boring slow fast quick old new broken dead alive down up off on out gone
    lost missing late early closed shut open full empty busy quiet loud dirty clean messy cold
    hot warm wet dry sore stiff tired sick ill better worse best worst perfect right wrong true
    false real fake different same similar important nightmare joke mess pain disaster dream
    delight killer bitch beast monster angel saint legend idiot moron genius star scam ripoff
    hell heaven bliss blessing curse lie fact problem issue secret mystery mine yours his hers
    theirs here there back away home around everywhere nowhere everything nothing something
    anything all none enough overdue due ready done finished over pending stuck frozen ringing
    happy sad angry mad upset glad proud jealous bored scared nervous anxious stressed calm
    relaxed hungry thirsty sleepy drunk sober single taken worth garage shop service repair
    meeting traffic alright sorted fixed fried toast history public private online offline flat
    loose tight rough smooth bright dark solid decent mediocre average normal usual standard
    typical random chaotic hectic mental grim dire dull dreadful dodgy sketchy iffy meh
    whatever complicated simple tricky
    """
)
# Said of a thing by who judges it.
VERDICTS = words(
    """
    nightmare joke mess pain disaster dream delight killer bitch beast monster angel saint legend
    idiot moron genius star scam ripoff hell heaven bliss blessing curse lie secret mystery bit lot
    """
)
