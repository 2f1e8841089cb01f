// The entry that libFuzzer calls, for the one target that the build selects.

#if tickets
typealias Subject = TicketDecoding
#elseif json
typealias Subject = StrictJSON
#elseif configuration
typealias Subject = ConfigurationReading
#elseif journal
typealias Subject = JournalReading
#elseif events
typealias Subject = EventDecoding
#elseif receipts
typealias Subject = ReceiptDecoding
#elseif eventstream
typealias Subject = EventStreamReading
#elseif tokens
typealias Subject = TokenReading
#elseif links
typealias Subject = LinkReading
#endif

/// One input; the fuzzer keeps the bytes and takes them back afterwards.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        _ = try Subject.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(Subject.name): \(error)")
    }
    return 0
}
