import Portico

/// How a recipient wants to be told.
public struct Preferences: Sendable, Hashable {
    /// Whether each channel may be used, by its name: `push`, `email`, `sms`.
    public var channels: [String: Bool]
    /// Whether each topic is wanted, by its name.
    public var topics: [String: Bool]
    /// When nothing may make a sound; nil: never quiet, or in a form of a later version, which is in `unknown` then.
    public var quietHours: QuietHours?
    /// How much advertising at most; nil: no limit, or in a form of a later version, which is in `unknown` then.
    public var marketingLimit: MarketingLimit?
    /// Members that this version has no property for, as they came.
    public var unknown: JSONObject

    /// Puts preferences together.
    public init(
        channels: [String: Bool] = [:], topics: [String: Bool] = [:], quietHours: QuietHours? = nil,
        marketingLimit: MarketingLimit? = nil, unknown: JSONObject = JSONObject()
    ) {
        self.channels = channels
        self.topics = topics
        self.quietHours = quietHours
        self.marketingLimit = marketingLimit
        self.unknown = unknown
    }
}

/// A change of preferences: what is not mentioned stays, also what this version does not know.
///
/// ```swift
/// var changes = PreferencesPatch()
/// changes.quietHours = .set(QuietHours(start: "22:00", end: "07:00", timeZone: "Europe/Zurich")!)
/// changes.marketingLimit = .clear
/// let after = try await inbox.savePreferences(changes)
/// ```
public struct PreferencesPatch: Sendable, Hashable {
    /// Channels whose setting changes.
    public var channels: [String: Bool]
    /// Topics whose setting changes.
    public var topics: [String: Bool]
    /// What becomes of the quiet hours.
    public var quietHours: Patch<QuietHours>
    /// What becomes of the limit of advertising.
    public var marketingLimit: Patch<MarketingLimit>

    /// A change, by default of nothing.
    public init(
        channels: [String: Bool] = [:], topics: [String: Bool] = [:], quietHours: Patch<QuietHours> = .keep,
        marketingLimit: Patch<MarketingLimit> = .keep
    ) {
        self.channels = channels
        self.topics = topics
        self.quietHours = quietHours
        self.marketingLimit = marketingLimit
    }

    /// The merge patch (RFC 7396), names in the order of their bytes.
    var json: JSONValue {
        var object = JSONObject()
        if !channels.isEmpty { object["channels"] = Self.json(channels) }
        if !topics.isEmpty { object["topics"] = Self.json(topics) }
        object.put(quietHours, as: "quietHours", \.json)
        object.put(marketingLimit, as: "marketingLimit", \.json)
        return .object(object)
    }

    private static func json(_ switches: [String: Bool]) -> JSONValue {
        let sorted = switches.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(sorted.map { JSONObject.Member(name: $0.key, value: .bool($0.value)) }))
    }
}

/// How many messages of advertising a recipient takes in a span of time.
public struct MarketingLimit: Sendable, Hashable {
    /// The span.
    public enum Period: String, Sendable, Hashable, CaseIterable {
        /// From midnight to midnight.
        case day
        /// Seven days.
        case week
        /// A month of the calendar.
        case month
    }

    /// How many, 1 to 1,000.
    public var count: Int
    /// In which span.
    public var period: Period

    /// A limit; nil where the number is outside 1 to 1,000.
    public init?(count: Int, per period: Period) {
        guard 1...1_000 ~= count else { return nil }
        self.count = count
        self.period = period
    }

    var json: JSONValue { ["count": .integer(Int64(count)), "period": .string(period.rawValue)] }
}
