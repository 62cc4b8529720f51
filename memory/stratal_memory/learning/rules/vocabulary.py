"""The closed lists of words the rules decide by."""

from stratal_memory.learning.wordlist import words

NO_NAME = words(
    """
    a an at back crazy hard later if in it lazy maybe not now on out the this that
    tomorrow tonight when whatever whenever old by for on something me you your names
    weird important irrelevant
    """
)
NATIONALITIES = words(
    """
    american argentinian australian austrian belgian brazilian british bulgarian canadian
    chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian
    ethiopian finnish french german ghanaian greek hungarian icelandic indian indonesian
    iranian iraqi irish israeli italian jamaican japanese kenyan korean latvian lebanese
    lithuanian malaysian mexican moroccan nigerian norwegian pakistani peruvian filipino
    polish portuguese romanian russian scottish serbian slovak slovenian spanish swedish
    swiss syrian taiwanese thai tunisian turkish ukrainian venezuelan vietnamese welsh
    """
)
LANGUAGE_NAMES = NATIONALITIES | words(
    """
    mandarin cantonese arabic hindi hebrew urdu bengali tamil farsi persian swahili
    catalan basque esperanto latin tagalog malay
    """
)
ROLE_HEADS = words(
    """
    accountant actor actress analyst anaesthetist apprentice archaeologist architect
    artist astronomer author baker barber barista bartender biologist bookkeeper botanist
    builder butcher carer caretaker carpenter cashier chef chemist cleaner clerk coach
    coder composer conductor consultant contractor cook coordinator copywriter counsellor
    courier curator dancer dentist designer developer director doctor driver economist
    editor electrician engineer entrepreneur farmer filmmaker firefighter fisherman
    florist founder freelancer gardener geologist goldsmith guide hairdresser historian
    illustrator intern interpreter investor janitor jeweller joiner journalist judge
    lawyer lead lecturer librarian lifeguard linguist locksmith machinist manager marketer
    mathematician mechanic midwife miner model musician neurologist nurse nutritionist
    officer optician painter paramedic pastor pathologist pharmacist photographer
    physician physicist physiotherapist pianist pilot plumber poet policeman policewoman
    potter postdoc producer professor programmer psychiatrist psychologist publisher
    radiologist realtor receptionist recruiter researcher roofer sailor salesman
    saleswoman salesperson scientist sculptor secretary singer soldier solicitor student
    superintendent supervisor surgeon surveyor tailor teacher technician therapist trader
    trainee trainer translator tutor vet veterinarian violinist waiter waitress welder
    writer zookeeper cto ceo cfo coo
    actuary agent animator assistant attendant auditor banker barrister beekeeper blogger
    bricklayer broker busker cameraman captain cardiologist caregiver cleaner comedian controller
    councillor cop curate dealer dermatologist detective dev diplomat dispatcher doula
    epidemiologist estimator examiner fitter forester headteacher housekeeper inspector
    instructor investigator landscaper lumberjack magician marketeer mason mayor monk nanny
    notary nun officer oncologist operator optometrist orderly organist paediatrician paralegal
    pediatrician planner porter postman presenter priest principal prosecutor rabbi ranger
    referee registrar reporter restorer rigger seamstress shepherd signaller sommelier
    statistician steward stewardess stonemason strategist streamer stylist sysadmin taxidermist
    tech teller tiler trucker undertaker upholsterer valet vicar videographer vintner virologist
    watchmaker weaver winemaker youtuber advisor adviser apprentice babysitter biochemist
    bodyguard broadcaster buyer caterer childminder cobbler copyeditor croupier
    dietitian dietician dj driver embalmer fabricator farmhand deliveryman headhunter
    financier fundraiser geneticist glazier groomer groundskeeper gynaecologist hydrologist
    influencer logger masseuse merchandiser milliner hygienist
    minister moderator neuroscientist osteopath phlebotomist physio
    picker plasterer podiatrist psychotherapist radiographer rapper rector
    repairman roaster sexton sonographer stagehand steelworker stocker
    stuntman toolmaker underwriter usher vlogger warden yardman
    """
)
NO_EMPLOYER = words(
    """
    home night nights weekends it that this them him her you me hours
    days least present moment myself free money my mostly remotely
    """
)
