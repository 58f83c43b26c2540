import backtape.feed.*;
import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Decodes frames with the codecs that sbe-tool generates of schemas/feed.xml: FeedCheck FRAMES TEXT. FRAMES holds a big-endian length before each
 * frame. Writes the exact values of each as a line of TEXT, encodes them again and compares the bytes.
 */
public class FeedCheck {
  static final UnsafeBuffer again = new UnsafeBuffer(new byte[1 << 20]);
  static final MessageHeaderEncoder head = new MessageHeaderEncoder();
  static final StringBuilder out = new StringBuilder();
  static final byte[] text = new byte[1 << 17];

  interface Get { int apply(byte[] bytes, int offset, int length); }

  interface Put { void apply(byte[] bytes, int offset, int length); }

  /** Takes a text out of a decoder, puts it into an encoder, and returns it in hexadecimal digits. */
  static String copied(int length, Get get, Put put) {
    get.apply(text, 0, length);
    put.apply(text, 0, length);
    return HexFormat.of().formatHex(text, 0, length);
  }

  static String exact(long mantissa, byte exponent) {
    BigDecimal value = new BigDecimal(java.math.BigInteger.valueOf(mantissa), -exponent);
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }

  static String decimal(ExactDecimalDecoder from, ExactDecimalEncoder to) {
    to.mantissa(from.mantissa()).exponent(from.exponent());
    return exact(from.mantissa(), from.exponent());
  }

  static String unsigned(long value) { return Long.toUnsignedString(value); }

  static String bits(double value) { return Double.isNaN(value) ? "null" : Long.toHexString(Double.doubleToRawLongBits(value)); }

  static String flag(Flag flag) { return flag == Flag.NULL_VAL ? "-" : flag == Flag.YES ? "1" : "0"; }

  /** An id: its digits, or a text in hexadecimal digits. */
  static String id(long number, boolean isNull, String hex) {
    return isNull ? hex : HexFormat.of().formatHex(unsigned(number).getBytes(StandardCharsets.US_ASCII));
  }

  static void envelope(int kind, long instrument, long adapter, long exchange) {
    out.append(kind).append(' ').append(unsigned(instrument)).append(' ').append(unsigned(adapter)).append(' ').append(unsigned(exchange));
  }

  static void ids(long previous, boolean isPreviousNull, String previousText, long event, boolean isEventNull, String eventText) {
    out.append(" previous ").append(id(previous, isPreviousNull, previousText)).append(" event ").append(id(event, isEventNull, eventText));
  }

  static final long NULL_ID = SnapshotDecoder.eventIdNullValue();

  static int snapshot(SnapshotDecoder d, SnapshotEncoder e) {
    envelope(0, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime()).forceReset(d.forceReset());
    out.append(" force ").append(flag(d.forceReset()));
    var rows = d.rows();
    var to = e.rowsCount(rows.count());
    for (var row : rows) {
      to.next().side(row.side());
      out.append(" [").append(row.side().value()).append(' ').append(decimal(row.price(), to.price())).append(' ').append(decimal(row.quantity(), to.quantity())).append(']');
    }
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int update(UpdateDecoder d, UpdateEncoder e) {
    envelope(1, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    var rows = d.rows();
    var to = e.rowsCount(rows.count());
    for (var row : rows) {
      to.next().side(row.side());
      out.append(" [").append(row.side().value()).append(' ').append(decimal(row.price(), to.price())).append(' ').append(decimal(row.quantity(), to.quantity())).append(']');
    }
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int topOfBook(TopOfBookDecoder d, TopOfBookEncoder e) {
    envelope(6, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    var rows = d.rows();
    var to = e.rowsCount(rows.count());
    for (var row : rows) {
      to.next().side(row.side());
      out.append(" [").append(row.side().value()).append(' ').append(decimal(row.price(), to.price())).append(' ').append(decimal(row.quantity(), to.quantity())).append(']');
    }
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int trades(TradesDecoder d, TradesEncoder e) {
    envelope(2, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    var rows = d.rows();
    var to = e.rowsCount(rows.count());
    for (var row : rows) {
      to.next().side(row.side()).exchangeTradeTime(row.exchangeTradeTime()).tradeIdForm(row.tradeIdForm()).tradeId(row.tradeId());
      out.append(" [").append(row.side().value()).append(' ').append(decimal(row.price(), to.price())).append(' ').append(decimal(row.quantity(), to.quantity()));
      String hex = copied(row.tradeIdTextLength(), row::getTradeIdText, to::putTradeIdText);
      String id = row.tradeIdForm() == IdForm.NONE ? "null" : '<' + id(row.tradeId(), row.tradeIdForm() == IdForm.TEXT, hex) + '>';
      out.append(' ').append(id).append(' ').append(unsigned(row.exchangeTradeTime())).append(']');
    }
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int liquidations(LiquidationsDecoder d, LiquidationsEncoder e) {
    envelope(17, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    var rows = d.rows();
    var to = e.rowsCount(rows.count());
    for (var row : rows) {
      to.next().side(row.side()).exchangeLiquidationTime(row.exchangeLiquidationTime());
      out.append(" [").append(row.side().value()).append(' ').append(decimal(row.price(), to.price())).append(' ').append(decimal(row.quantity(), to.quantity()));
      out.append(' ').append(unsigned(row.exchangeLiquidationTime())).append(']');
    }
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int mark(MarkPriceDecoder d, MarkPriceEncoder e) {
    envelope(7, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime()).tailCount(d.tailCount());
    out.append(' ').append(decimal(d.price(), e.price()));
    double[] tail = new double[7];
    Arrays.fill(tail, Double.NaN);
    var greeks = d.greeks();
    var to = e.greeksCount(greeks.count());
    for (var g : greeks) {
      tail = new double[] {g.delta(), g.gamma(), g.vega(), g.theta(), g.markVolatility(), g.bidVolatility(), g.askVolatility()};
      to.next().delta(tail[0]).gamma(tail[1]).vega(tail[2]).theta(tail[3]).markVolatility(tail[4]).bidVolatility(tail[5]).askVolatility(tail[6]);
    }
    for (int i = 0; i < d.tailCount(); i++) out.append(' ').append(bits(tail[i]));
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int index(IndexPriceDecoder d, IndexPriceEncoder e) {
    envelope(8, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    out.append(' ').append(decimal(d.price(), e.price()));
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int funding(FundingRateDecoder d, FundingRateEncoder e) {
    envelope(9, d.instrumentId(), d.adapterTime(), d.exchangeTime());
    e.instrumentId(d.instrumentId()).previousEventId(d.previousEventId()).eventId(d.eventId()).adapterTime(d.adapterTime()).exchangeTime(d.exchangeTime());
    e.nextFundingTime(d.nextFundingTime()).predictedRateGiven(d.predictedRateGiven());
    out.append(' ').append(decimal(d.rate(), e.rate())).append(' ').append(unsigned(d.nextFundingTime()));
    var predicted = d.predictedRate();
    e.predictedRate().mantissa(predicted.mantissa()).exponent(predicted.exponent());
    if (d.predictedRateGiven() == Flag.YES)
      out.append(' ').append(predicted.mantissa() == OptionalDecimalDecoder.mantissaNullValue() ? "null" : exact(predicted.mantissa(), predicted.exponent()));
    ids(d.previousEventId(), d.previousEventId() == NULL_ID, copied(d.previousEventIdTextLength(), d::getPreviousEventIdText, e::putPreviousEventIdText),
      d.eventId(), d.eventId() == NULL_ID, copied(d.eventIdTextLength(), d::getEventIdText, e::putEventIdText));
    return e.limit();
  }

  static int state(StateDecoder d, StateEncoder e) {
    e.instrumentId(d.instrumentId()).adapterTime(d.adapterTime()).textGiven(d.textGiven());
    out.append("5 ").append(unsigned(d.instrumentId())).append(' ').append(unsigned(d.adapterTime()));
    out.append(' ').append(copied(d.stateLength(), d::getState, e::putState));
    String hex = copied(d.textLength(), d::getText, e::putText);
    out.append(' ').append(d.textGiven() == Flag.YES ? '<' + hex + '>' : "null");
    return e.limit();
  }

  static int subscribe(SubscribeDecoder d, SubscribeEncoder e) {
    e.instrumentId(d.instrumentId()).depthTopic(d.depthTopic()).tradesTopic(d.tradesTopic()).topOfBookTopic(d.topOfBookTopic()).indexPriceTopic(d.indexPriceTopic());
    e.markPriceTopic(d.markPriceTopic()).fundingRateTopic(d.fundingRateTopic()).liquidationsTopic(d.liquidationsTopic()).topOfBookCoalescing(d.topOfBookCoalescing());
    out.append("11 ").append(unsigned(d.instrumentId()));
    for (Flag one : List.of(d.depthTopic(), d.tradesTopic(), d.topOfBookTopic(), d.indexPriceTopic(), d.markPriceTopic(), d.fundingRateTopic(), d.liquidationsTopic(), d.topOfBookCoalescing()))
      out.append(' ').append(flag(one));
    return e.limit();
  }

  static int unsubscribe(UnsubscribeDecoder d, UnsubscribeEncoder e) {
    e.instrumentId(d.instrumentId());
    out.append("12 ").append(unsigned(d.instrumentId()));
    return e.limit();
  }

  static int login(LoginDecoder d, LoginEncoder e) {
    out.append("13");
    out.append(' ').append(copied(d.organizationLength(), d::getOrganization, e::putOrganization));
    out.append(' ').append(copied(d.applicationNameLength(), d::getApplicationName, e::putApplicationName));
    out.append(' ').append(copied(d.applicationVersionLength(), d::getApplicationVersion, e::putApplicationVersion));
    out.append(' ').append(copied(d.processIdLength(), d::getProcessId, e::putProcessId));
    return e.limit();
  }

  static int loginResponse(LoginResponseDecoder d, LoginResponseEncoder e) {
    e.serverTime(d.serverTime());
    out.append("14 ").append(unsigned(d.serverTime()));
    out.append(' ').append(copied(d.processIdLength(), d::getProcessId, e::putProcessId));
    out.append(' ').append(copied(d.protocolVersionLength(), d::getProtocolVersion, e::putProtocolVersion));
    out.append(' ').append(copied(d.capabilitiesLength(), d::getCapabilities, e::putCapabilities));
    return e.limit();
  }

  /** Decodes and encodes one frame; returns the number of bytes encoded. */
  static int message(UnsafeBuffer frame, MessageHeaderDecoder header) {
    header.wrap(frame, 0);
    return switch (header.templateId()) {
      case 0 -> snapshot(new SnapshotDecoder().wrapAndApplyHeader(frame, 0, header), new SnapshotEncoder().wrapAndApplyHeader(again, 0, head));
      case 1 -> update(new UpdateDecoder().wrapAndApplyHeader(frame, 0, header), new UpdateEncoder().wrapAndApplyHeader(again, 0, head));
      case 2 -> trades(new TradesDecoder().wrapAndApplyHeader(frame, 0, header), new TradesEncoder().wrapAndApplyHeader(again, 0, head));
      case 5 -> state(new StateDecoder().wrapAndApplyHeader(frame, 0, header), new StateEncoder().wrapAndApplyHeader(again, 0, head));
      case 6 -> topOfBook(new TopOfBookDecoder().wrapAndApplyHeader(frame, 0, header), new TopOfBookEncoder().wrapAndApplyHeader(again, 0, head));
      case 7 -> mark(new MarkPriceDecoder().wrapAndApplyHeader(frame, 0, header), new MarkPriceEncoder().wrapAndApplyHeader(again, 0, head));
      case 8 -> index(new IndexPriceDecoder().wrapAndApplyHeader(frame, 0, header), new IndexPriceEncoder().wrapAndApplyHeader(again, 0, head));
      case 9 -> funding(new FundingRateDecoder().wrapAndApplyHeader(frame, 0, header), new FundingRateEncoder().wrapAndApplyHeader(again, 0, head));
      case 11 -> subscribe(new SubscribeDecoder().wrapAndApplyHeader(frame, 0, header), new SubscribeEncoder().wrapAndApplyHeader(again, 0, head));
      case 12 -> unsubscribe(new UnsubscribeDecoder().wrapAndApplyHeader(frame, 0, header), new UnsubscribeEncoder().wrapAndApplyHeader(again, 0, head));
      case 13 -> login(new LoginDecoder().wrapAndApplyHeader(frame, 0, header), new LoginEncoder().wrapAndApplyHeader(again, 0, head));
      case 14 -> loginResponse(new LoginResponseDecoder().wrapAndApplyHeader(frame, 0, header), new LoginResponseEncoder().wrapAndApplyHeader(again, 0, head));
      case 17 -> liquidations(new LiquidationsDecoder().wrapAndApplyHeader(frame, 0, header), new LiquidationsEncoder().wrapAndApplyHeader(again, 0, head));
      default -> throw new IllegalStateException("unknown template " + header.templateId());
    };
  }

  public static void main(String[] paths) throws Exception {
    var header = new MessageHeaderDecoder();
    long count = 0;
    try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(paths[0])), 1 << 20)); var to = Files.newBufferedWriter(Path.of(paths[1]))) {
      while (in.available() > 0) {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        if (header.wrap(new UnsafeBuffer(bytes), 0).schemaId() != SnapshotDecoder.SCHEMA_ID || header.version() != SnapshotDecoder.SCHEMA_VERSION)
          throw new IllegalStateException("frame " + count + ": schema " + header.schemaId() + " version " + header.version());
        int length = message(new UnsafeBuffer(bytes), header);
        if (length != bytes.length) throw new IllegalStateException("frame " + count + ": " + bytes.length + " bytes, encoded again " + length + ": " + out);
        byte[] encoded = new byte[length];
        again.getBytes(0, encoded);
        if (!Arrays.equals(bytes, encoded)) throw new IllegalStateException("frame " + count + " was encoded to other bytes at " + Arrays.mismatch(bytes, encoded) + ": " + out);
        to.append(out).append('\n');
        out.setLength(0);
        count++;
      }
    }
    System.out.println(paths[0] + ": " + count + " frames");
  }
}
